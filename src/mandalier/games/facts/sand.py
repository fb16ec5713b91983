"""Facts of sand: who chooses first in a mandala, what its mountain is worth to whom, the hand."""

from __future__ import annotations

from typing import Any

from mandalier.games.facts import Fact
from mandalier.games.kernel import ONES, count_of, kinds, size
from mandalier.games.sand import (
    CLAIM_MOVE,
    DISCARD_MOVE,
    FIELD_MOVE,
    HAND_LIMIT,
    MOST_TO_FIELD,
    MOUNTAIN_DRAW,
    RIVER,
    colour_names,
    score,
)
from mandalier.games.words import listed, say, say_n

DENIED = 0.6  # what keeping a card from the other seat is worth of what it is worth there
A_DRAW = 0.4
NEARNESS = (0.0, 0.1, 0.1, 0.2, 0.35, 0.7, 1.0)  # [colours shown] how soon a mandala is destroyed


class _Mandala:
    """A mandala as it lies after a move, before it is destroyed."""

    def __init__(self, s: Any, n: int, mountain: int = 0, seat: int = 0, field: int = 0) -> None:
        self.s = s
        self.n = n
        self.mountain = s.mountain[n] + mountain
        self.fields = [s.field[n][other] + field * (other == seat) for other in range(2)]
        self.sizes = [size(pile) for pile in self.fields]
        self.shown = kinds(self.mountain + self.fields[0] + self.fields[1])

    @property
    def colours(self) -> int:
        return size(self.shown)

    def first(self, mover: int) -> int:
        """Who would choose first, if this seat completed it."""
        if self.sizes[0] == self.sizes[1]:
            return 1 - mover
        return 0 if self.sizes[0] > self.sizes[1] else 1

    def gain(self, seat: int, first: int) -> float:
        """What the seat would make of the mountain more than the other one, both choosing well."""
        river = list(self.s.river_n)
        left = {c: n for c in range(6) if (n := count_of(self.mountain, c))}
        points = [0.0, 0.0]
        chooser = first
        while left:
            worth = {c: [self._worth(c, n, x, river) for x in range(2)] for c, n in left.items()}
            best = max(
                left,
                key=lambda c, w=worth, x=chooser: (w[c][x] + DENIED * w[c][1 - x], -c),  # type: ignore[misc]
            )
            if self.fields[chooser]:
                points[chooser] += worth[best][chooser]
                river[chooser] += not count_of(self.s.slot[chooser], best)
            del left[best]
            chooser = 1 - chooser
        return points[seat] - points[1 - seat]

    def _worth(self, colour: int, count: int, seat: int, river: list[int]) -> float:
        if not self.fields[seat]:
            return 0.0
        if slot := count_of(self.s.slot[seat], colour):
            return float(count * slot)
        return float((count - 1) * min(RIVER, river[seat] + 1) + 1)


def facts(s: Any, seat: int, move: int) -> list[Fact]:
    if move >= CLAIM_MOVE:
        return _claim(s, seat, move - CLAIM_MOVE)
    if move >= DISCARD_MOVE:
        colour, count = divmod(move - DISCARD_MOVE, HAND_LIMIT)
        return [*_discard(s, seat, colour, count + 1), *_kept(s, seat, colour, count + 1)]
    if move >= FIELD_MOVE:
        place, count = divmod(move - FIELD_MOVE, MOST_TO_FIELD)
        return _to_field(s, seat, place // 6, place % 6, count + 1)
    return _to_mountain(s, seat, move // 6, move % 6)


def _to_mountain(s: Any, seat: int, n: int, colour: int) -> list[Fact]:
    before = _Mandala(s, n)
    after = _Mandala(s, n, mountain=1 << 8 * colour)
    draws = min(MOUNTAIN_DRAW, HAND_LIMIT + 1 - s.hand_n[seat])
    return [
        Fact("draws", A_DRAW * draws, say_n("draws {n} card", "draws {n} cards", draws)),
        *_fed(s, seat, after, colour),
        *_shown(seat, before, after),
        *_kept(s, seat, colour, 1),
    ]


def _fed(s: Any, seat: int, mandala: _Mandala, colour: int) -> list[Fact]:
    """What a card more on the mountain is worth to either seat."""
    worth = [_card_worth(s, x, colour) if mandala.fields[x] else 0 for x in range(2)]
    difference = worth[seat] - worth[1 - seat]
    if difference == 0:
        return []
    names = {"colour": colour_names()[colour], "n": mandala.n + 1}
    if difference > 0:
        text = say(
            "puts {colour}, worth {worth} a card to seat {seat}, onto mountain {n}",
            worth=worth[seat],
            seat=seat,
            **names,
        )
    else:
        text = say(
            "feeds seat {seat}, to whom {colour} on mountain {n} is worth {worth} a card",
            worth=worth[1 - seat],
            seat=1 - seat,
            **names,
        )
    return [Fact("feeds", 0.4 * difference, text)]


def _card_worth(s: Any, seat: int, colour: int) -> int:
    slot = count_of(s.slot[seat], colour)
    return int(slot or min(RIVER, s.river_n[seat] + 1))


def _to_field(s: Any, seat: int, n: int, colour: int, count: int) -> list[Fact]:
    before = _Mandala(s, n)
    after = _Mandala(s, n, seat=seat, field=count << 8 * colour)
    return [
        *_share(seat, before, after),
        *_shown(seat, before, after),
        *_kept(s, seat, colour, count),
    ]


def _share(seat: int, before: _Mandala, after: _Mandala) -> list[Fact]:
    """What more cards in a field do for the choice."""
    other = 1 - seat
    sizes = {"a": after.sizes[seat], "b": after.sizes[other], "n": after.n + 1, "seat": seat}
    near = max(0.3, NEARNESS[after.colours])
    first = [one.first(seat) == seat for one in (before, after)]
    gain = near * (after.gain(seat, seat) - after.gain(seat, other))
    found = []
    if not before.sizes[seat]:
        cards = size(after.mountain)
        text = say("gives seat {seat} a share of mandala {n}", **sizes)
        found.append(Fact(f"share {after.n}", 0.3 + 0.5 * near * cards, text))
    if first[1] and not first[0]:
        text = say("brings seat {seat} the first choice in mandala {n}, {a} to {b}", **sizes)
        found.append(Fact(f"first {after.n}", 0.3 + gain, text))
    elif first[1]:
        text = say("secures the first choice in mandala {n}, {a} to {b}", **sizes)
        found.append(Fact(f"first {after.n}", 0.3 * gain, text))
    else:
        text = say("comes closer to the first choice in mandala {n}, {a} to {b}", **sizes)
        found.append(Fact(f"first {after.n}", 0.25 * gain, text))
    return found


def _shown(seat: int, before: _Mandala, after: _Mandala) -> list[Fact]:
    """What a colour that was not shown yet does: the mandala is complete, or nearly so."""
    if after.shown == before.shown:
        return []
    if after.shown == ONES:
        return _completed(seat, after)
    if after.colours != 5:
        return []
    missing = next(c for c in range(6) if not count_of(after.shown, c))
    first = after.first(1 - seat)  # the other seat moves next
    text = say(
        "leaves only {colour} missing in mandala {n}, where seat {seat} would choose first",
        colour=colour_names()[missing],
        n=after.n + 1,
        seat=first,
    )
    return [Fact(f"nearly {after.n}", 0.6 * after.gain(seat, first), text)]


def _completed(seat: int, after: _Mandala) -> list[Fact]:
    s, n = after.s, after.n + 1
    if not any(after.sizes):
        text = say("completes mandala {n} before anybody has a field there", n=n)
        return [Fact("completes", -0.5, text), *_ends(s, seat, 0.0)]
    first = after.first(seat)
    gain = after.gain(seat, first)
    most, least = max(after.sizes), min(after.sizes)
    if most == least:
        text = say(
            "completes mandala {n}; seat {seat} chooses first, as fields are even", n=n, seat=first
        )
    else:
        text = say(
            "completes mandala {n}; seat {seat} chooses first by {a} to {b}",
            n=n,
            seat=first,
            a=most,
            b=least,
        )
    return [Fact("completes", gain, text), *_ends(s, seat, gain)]


def _ends(s: Any, seat: int, gain: float) -> list[Fact]:
    if not s.deck_out:
        return []
    ahead = _lead(s, seat) + gain
    text = say("completes the last mandala, which ends the game")
    return [Fact("ends", max(-4.0, min(4.0, ahead)), text)]


def _lead(s: Any, seat: int) -> float:
    """By the points in sight."""
    points = [0, 0]
    score(s, points)
    return float(points[seat] - points[1 - seat])


def _discard(s: Any, seat: int, colour: int, count: int) -> list[Fact]:
    text = say_n(
        "exchanges {n} {colour} card",
        "exchanges {n} {colour} cards",
        count,
        colour=colour_names()[colour],
    )
    return [Fact("draws", 0.25 * A_DRAW * count, text)]


def _kept(s: Any, seat: int, played: int, count: int) -> list[Fact]:
    """Colours that the hand still has for a field, two cards or more."""
    found = []
    for colour, name in enumerate(colour_names()):
        left = count_of(s.hand[seat], colour) - count * (colour == played)
        if left < 2:
            continue
        places = [n for n in range(2) if not count_of(s.mountain[n] + s.field[n][1 - seat], colour)]
        if places:
            text = say("keeps {n} {colour} for a field", n=left, colour=name)
            found.append(Fact(f"keeps {colour}", 0.25 * left, text))
    return found


# Claims


def _claim(s: Any, seat: int, colour: int) -> list[Fact]:
    mandala = _Mandala(s, s.claiming - 1)
    other = 1 - seat
    name, count = colour_names()[colour], count_of(mandala.mountain, colour)
    found = []
    if not mandala.fields[seat]:
        found.append(Fact("takes", 0.0, say("sends {colour} to the discard", colour=name)))
    elif slot := count_of(s.slot[seat], colour):
        text = say_n(
            "takes {n} {colour} card worth {worth}",
            "takes {n} {colour} cards worth {worth} each",
            count,
            colour=name,
            worth=slot,
        )
        found.append(Fact("takes", float(count * slot), text))
    else:
        found += _new_colour(s, seat, colour, count)
    if worth := mandala._worth(colour, count, other, list(s.river_n)):
        text = say(
            "keeps {colour} from seat {seat}, to whom it is worth {n}",
            colour=name,
            seat=other,
            n=int(worth),
        )
        found.append(Fact("denies", DENIED * worth, text))
    left = [colour_names()[c] for c in range(6) if c != colour and count_of(mandala.mountain, c)]
    if left and mandala.fields[other]:
        best = max(
            mandala._worth(c, count_of(mandala.mountain, c), other, list(s.river_n))
            for c in range(6)
            if c != colour and count_of(mandala.mountain, c)
        )
        text = say("leaves {colours} to seat {seat}", colours=listed(left), seat=other)
        found.append(Fact("leaves", -DENIED * best, text))
    return found


def _new_colour(s: Any, seat: int, colour: int, count: int) -> list[Fact]:
    name, slot = colour_names()[colour], s.river_n[seat] + 1
    in_cup = count_of(s.claimed[seat] + s.start[seat], colour) + count - 1
    text = say(
        "puts {colour} into slot {slot} of the river: each {colour} in the cup is worth {slot}",
        colour=name,
        slot=slot,
    )
    found = [Fact("takes", float(in_cup * slot) + 0.5, text)]
    if slot == RIVER:
        ahead = _lead(s, seat) + in_cup * slot
        text = say("fills the river: the game ends with this mandala")
        found.append(Fact("ends", max(-4.0, min(4.0, ahead)), text))
    return found
