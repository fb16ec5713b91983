"""A thought about a move of dice, phase by phase.

- *Prepare*: every set of icons is tried in rounds played out quickly.
- *Strokes*: icons, aims and strengths are tried in the same way, more and more often the better
  they do; at a table with physics the best few are thrown in the simulation too.
- *Collect*: all there is to take is searched, with what the others then take.
- *Exhibition*: solved as a game in which all choose at once.
"""

from __future__ import annotations

from typing import Any

from mandalier.games import kernel
from mandalier.games.dice import rules, texts
from mandalier.games.dice.geometry import in_reach
from mandalier.games.dice.state import (
    AGAIN_MOVE,
    ALL_ICONS,
    CANVASES,
    CARD,
    COLLECT,
    DICE,
    DONE_MOVE,
    EXHIBIT,
    ICONS,
    LEAVE_MOVE,
    OFFERED,
    PREPARE,
    ROUNDS,
    TAKE_MOVE,
    D,
    F,
    L,
    R,
    columns_of,
    rows_of,
)
from mandalier.games.kernel import bits_in, next_word, seed_generator
from mandalier.search.bot import Candidate, Thought
from mandalier.search.player import spread
from mandalier.search.strokes import facts, picture, quick, takes
from mandalier.search.strokes.desk import Clock, Desk, Found, halve
from mandalier.search.strokes.mind import (
    ACC_LEAD,
    ACC_N,
    ACC_WIN,
    MIND,
    lead_of,
    weigh_card,
)
from mandalier.search.strokes.picture import JUDGE, LIST, MOST_PICTURES, PICTURE, SOLVE
from mandalier.search.strokes.quick import CHOICE, READY
from mandalier.search.strokes.takes import (
    LEAD_COUNTS,
    MOST_TAKES,
    PLACE,
    R_HANDS,
    R_LEAD,
    R_LINE,
    R_N,
    R_VALUE,
    R_WIN,
    RESULT,
    SEEN,
)

MOST_SHOWN = 12
"""How many candidates a thought tells."""
PHYSICS_SHARE = 0.35
"""The share of the time in which the best throws are simulated."""
PHYSICS_EACH = 250
"""With a budget of iterations: one throw is simulated for so many."""
WORLDS_A_THROW = 8
"""In how many worlds a simulated throw is played on."""
TRUST = 30.0
"""How many simulated throws count as much as all those from the bank."""


def think_of(desk: Desk, clock: Clock) -> Thought:
    """The thought about the position on the desk."""
    phase = desk.s.phase
    if phase == PREPARE:
        return _prepare(desk, clock)
    if phase == EXHIBIT:
        return _exhibit(desk, clock)
    if phase == COLLECT:
        return _collect(desk, clock)
    return _stroke(desk, clock)


def _told(found: list[Found]) -> tuple[Candidate, ...]:
    return tuple(Candidate(one.text, one.win, one.lead, one.visits) for one in found[:MOST_SHOWN])


def _sampled(desk: Desk, found: list[Found], clock: Clock, why: tuple[str, ...]) -> Thought:
    return Thought(found[0].text, _told(found), why, clock.used)


# Prepare


def _prepare(desk: Desk, clock: Clock) -> Thought:
    count = desk.s.round + 1
    candidates = [
        Found(READY, icons, "ready " + texts.icons_text(icons), liked=_liking(desk, icons))
        for icons in range(1, 1 + ALL_ICONS)
        if bits_in(icons) == count
    ]
    found = halve(desk, _doubted(desk, candidates), clock)
    return _sampled(desk, found, clock, facts.of_icons(desk, found))


def _doubted(desk: Desk, candidates: list[Found]) -> list[Found]:
    """The candidates, each taken to be worth a little more or less than it is."""
    if desk.style.doubt:
        for k, one in enumerate(candidates):
            one.liked += desk.style.doubt * spread(kernel.mix(desk.seed & kernel.HASH, k))
    return candidates


def _liking(desk: Desk, icons: int) -> float:
    """What a liking for icons adds to those that have them."""
    return sum(0.03 for icon in texts.bits_of(icons) if ICONS[icon] in desk.style.liking)


# Strokes


def _stroke(desk: Desk, clock: Clock) -> Thought:
    s = desk.s
    if s.second == OFFERED:
        candidates = [
            Found(CHOICE, move, str(desk.module.text(s, move))) for move in (AGAIN_MOVE, LEAVE_MOVE)
        ]
    else:
        candidates = aims(desk, _many_aims(desk, clock))
    physics = desk.style.physics and s.second != OFFERED and len(candidates) > 1
    physics = physics and desk.has_physics
    part = clock.part(1 - PHYSICS_SHARE * physics)
    found = halve(desk, _doubted(desk, candidates), part)
    clock.used += part.used
    if physics:
        found = _throw_for_real(desk, found, clock)
    return _sampled(desk, found, clock, facts.of_throw(desk, found))


def _many_aims(desk: Desk, clock: Clock) -> int:
    """How many candidates the budget can tell apart."""
    if clock.iterations is not None:
        return max(4, min(desk.style.aims, clock.iterations // 60))
    return desk.style.aims


def aims(desk: Desk, many: int) -> list[Found]:
    """Throws worth a try, the most promising ones at a glance first: at cards, at their edges, a
    little harder and softer, with spin, and at the others' dice."""
    s, seat = desk.s, desk.seat
    left = rules.icons_left(s, seat)
    scores = desk.engine.array(5 * CANVASES, "f8")
    desk.engine.bind(quick.rank_aims)(desk.states, desk.minds, scores, desk.table)
    cells = range(columns_of(s) * rows_of(s))
    ranked = sorted(
        (-float(scores[icon * CANVASES + cell]), icon, cell)
        for icon in texts.bits_of(left)
        for cell in cells
        if s.grid[cell]
    )
    plain = [desk.aim(icon, *_middle(desk, cell)) for _, icon, cell in ranked[: max(3, many // 2)]]
    made = plain + _knocks(desk, left) if desk.style.contests else plain
    for _, icon, cell in ranked[: max(2, many // 8)]:
        made += _near(desk, icon, cell)
    best: dict[int, int] = {}
    for _, icon, cell in ranked:
        best.setdefault(icon, cell)
    made += [desk.aim(icon, *_middle(desk, cell)) for icon, cell in best.items()]
    unlike = {one.text: one for one in reversed(made)}
    chosen = list(reversed(unlike.values()))[: many + len(best)]
    for one in chosen:
        one.liked = _liking(desk, 1 << one.what)
    return chosen or [desk.aim(texts.bits_of(left)[0], *_middle(desk, 0))]


def _middle(desk: Desk, cell: int) -> tuple[int, int]:
    row, column = divmod(cell, columns_of(desk.s))
    return column * CARD + CARD // 2, row * CARD + CARD // 2


def _near(desk: Desk, icon: int, cell: int) -> list[Found]:
    """Throws at the edges and corners of a card, and variants of the one at its middle."""
    x, y = _middle(desk, cell)
    near = [
        desk.aim(icon, x + dx, y + dy) for dx in (-300, 0, 300) for dy in (-300, 0, 300) if dx or dy
    ]
    if icon != D:
        which = 2 if icon == F else 1
        middle = desk.aim(icon, x, y)
        for factor in (94, 106):
            gesture = list(middle.gesture)
            low, high = desk.s.ranges[3 if icon == F else 1]
            gesture[which] = min(max(gesture[which] * factor // 100, low), high)
            near.append(desk.throw(icon, gesture))
        if icon != F:
            for spin in (-150, 150):
                low, high = desk.s.ranges[2]
                gesture = [*middle.gesture[:2], min(max(spin, low), high)]
                near.append(desk.throw(icon, gesture))
    return near


def _knocks(desk: Desk, left: int) -> list[Found]:
    """Throws at the others' dice that lie on cards."""
    s = desk.s
    made = []
    for die in range(4 * DICE):
        owner, k = divmod(die, DICE)
        if owner == desk.seat or not any(s.grid[c] for c in texts.bits_of(s.touch[owner][k])):
            continue
        for icon in texts.bits_of(left):
            if icon == D or in_reach(s, desk.seat, icon, CANVASES + die):
                knock = icon in (L, R, F)
                made.append(desk.aim(icon, s.x[owner][k], s.y[owner][k], knock))
    return made


def _throw_for_real(desk: Desk, found: list[Found], clock: Clock) -> list[Found]:
    """Throw the best few in the simulation as often as the budget allows, in turns; what that
    brings counts beside what the bank brought the more, the more throws there are."""
    finalists = found[:3]
    real = [Found(one.kind, one.what, one.text, one.gesture) for one in finalists]
    throws = None
    if clock.iterations is not None:
        throws = max(1, clock.iterations // PHYSICS_EACH // len(real))
    k = 0
    while k != throws and clock.runs():
        for one in real:
            if k and not clock.in_time():
                break
            desk.simulate(one, k)
            desk.sample_on(one, k * WORLDS_A_THROW, (k + 1) * WORLDS_A_THROW)
            clock.used += WORLDS_A_THROW
        else:
            k += 1
            continue
        break
    for one, other in zip(finalists, real, strict=True):
        if k:
            share = k / (k + TRUST)
            for fact in (ACC_WIN, ACC_LEAD):
                mean = (1 - share) * one.mean(fact) + share * other.mean(fact)
                one.numbers[fact] = mean * one.numbers[ACC_N]
    return sorted(finalists, key=lambda one: -one.value) + found[3:]


# Collect


def _collect(desk: Desk, clock: Clock) -> Thought:
    if desk.style.collect == "greedy":
        return _take_at_a_glance(desk)
    results, first_moves, place = search_collect(desk, clock)
    rows = [r for r in range(1 + len(first_moves)) if results[r * RESULT + R_N]]
    values = {r: float(results[r * RESULT + R_VALUE]) for r in rows}
    rows.sort(key=lambda r: (-values[r], r))
    win = {r: float(results[r * RESULT + R_WIN]) for r in rows}
    lead = {r: float(results[r * RESULT + R_LEAD]) for r in rows}
    if desk.s.round == ROUNDS and desk.style.exhibition == "solve":
        for r in rows[:6]:
            hands = [int(results[r * RESULT + R_HANDS + seat]) for seat in range(desk.s.seats)]
            win[r], lead[r] = Exhibition(desk, hands, 96).promise(desk.seat, 120)
            values[r] = win[r] + LEAD_COUNTS * lead[r]
        rows[:6] = sorted(rows[:6], key=lambda r: (-values[r], r))
    found = [
        Candidate(
            _take_text(desk, first_moves, r),
            win[r],
            lead[r],
            int(results[r * RESULT + R_N]),
            _line(desk, results, r),
        )
        for r in rows[:MOST_SHOWN]
    ]
    clock.used = int(place[takes.NODES])
    hands = [int(results[rows[0] * RESULT + R_HANDS + seat]) for seat in range(desk.s.seats)]
    why = facts.of_takes(desk, found[0], hands)
    return Thought(found[0].move, tuple(found), why, clock.used)


def _take_text(desk: Desk, first_moves: list[int], r: int) -> str:
    move = DONE_MOVE if r == 0 else TAKE_MOVE + first_moves[r - 1]
    return str(desk.module.text(desk.s, move))


def _line(desk: Desk, results: Any, r: int) -> tuple[str, ...]:
    """What is taken after the first, as entries."""
    taken = [int(results[r * RESULT + R_LINE + i]) for i in range(1, DICE)]
    moves = [TAKE_MOVE + which - 1 for which in taken if which]
    moves += [DONE_MOVE] if r else []
    return tuple(f"{desk.seat} {desk.module.text(desk.s, move)}" for move in moves)


def search_collect(desk: Desk, clock: Clock) -> tuple[Any, list[int], Any]:
    """Search all takes; the results of each first one, those first ones, and how far it went."""
    engine = desk.engine
    room = engine.array(DICE * MOST_TAKES + DICE)
    seen, place = engine.array(SEEN), engine.array(PLACE)
    found = engine.array((1 + MOST_TAKES) * RESULT, "f8")
    engine.write(desk.s, desk.states, 2)
    desk.states[2] = desk.states[0]
    _clear_viewer(desk)
    search = engine.bind(takes.search_takes)
    nodes = 128 if engine.compiled else 4
    if clock.iterations is not None:
        nodes = min(nodes, clock.left)
    while not search(desk.states, desk.minds, room, seen, place, found, nodes):
        clock.used = int(place[takes.NODES])
        if not clock.runs():
            break
        if clock.iterations is not None:
            nodes = min(nodes, clock.left)
    count = int(place[takes.COUNT])
    return found, [int(room[i]) for i in range(count)], place


def _clear_viewer(desk: Desk) -> None:
    desk._set(desk.states[2], "viewer", 0)


def _take_at_a_glance(desk: Desk) -> Thought:
    """The take that adds most by itself."""
    which = desk.engine.bind(quick.take_at_a_glance)(desk.states, desk.minds)
    move = DONE_MOVE if which < 0 else TAKE_MOVE + which
    m = desk.mind
    text = str(desk.module.text(desk.s, move))
    lead = lead_of(desk.s, m, desk.seat)
    return Thought(text, (Candidate(text, m.win[desk.seat], lead, 1),), (), 1)


# The exhibition


class Exhibition:
    """The pictures of all seats, and how often each should choose which."""

    def __init__(self, desk: Desk, hands: list[int], room: int = MOST_PICTURES) -> None:
        engine = desk.engine
        self.desk = desk
        self.states = engine.states(1)
        s = kernel.new_states(desk.module.STATE, 1, False)
        s[0] = desk.s
        s[0].viewer, s[0].phase = 0, EXHIBIT
        s[0].kept = [0] * 4
        s[0].hand = hands + [0] * (4 - len(hands))
        self.s = s[0]
        self.size = rules.picture_size(self.s)
        engine.write(self.s, self.states)
        self.pictures = kernel.new_states(PICTURE, 4 * MOST_PICTURES + 1, engine.compiled)
        self.counts = engine.array(4)
        self.matrix = engine.array(MOST_PICTURES * MOST_PICTURES, "f8")
        self.order = engine.array(64)
        self.minds = kernel.new_states(MIND, 1, engine.compiled)
        self._do = engine.bind(picture.exhibit)
        self.done = 0
        self._ask(LIST, room, self.size)

    def _ask(self, what: int, a: int, b: int) -> None:
        self._do(
            self.states, self.minds, what, a, b, self.pictures, self.counts, self.matrix, self.order
        )

    def solve(self, iterations: int) -> None:
        """Go on for so many iterations."""
        self._ask(SOLVE, self.done, iterations)
        self.done += iterations

    def rows(self, seat: int) -> list[Any]:
        """The pictures of a seat."""
        first = seat * MOST_PICTURES
        return [self.pictures[i] for i in range(first, first + int(self.counts[seat]))]

    def judge(self, seat: int) -> list[tuple[int, float, float, float]]:
        """Each picture of a seat: its cards, how often, its win and lead against the others."""
        self._ask(JUDGE, seat, 400)
        rows = self.rows(seat)
        get = _field
        total = sum(get(p, "often") for p in rows)
        return [
            (int(get(p, "cards")), get(p, "often") / total, get(p, "win"), get(p, "lead"))
            for p in rows
        ]

    def promise(self, seat: int, iterations: int) -> tuple[float, float]:
        """What a seat can expect of the exhibition."""
        self.solve(iterations)
        judged = self.judge(seat)
        return min(1.0, sum(o * w for _, o, w, _ in judged)), sum(o * l for _, o, _, l in judged)


def _field(row: Any, name: str) -> float:
    return float(getattr(row, name) if isinstance(row, kernel.Twin) else row[name])


def _exhibit(desk: Desk, clock: Clock) -> Thought:
    if desk.style.exhibition != "solve":
        return _keep_at_a_glance(desk)
    s, seat = desk.s, desk.seat
    game = Exhibition(desk, list(s.hand[: s.seats]))
    most = 1500 if clock.iterations is None else max(20, min(1500, clock.iterations))
    chunk = 25 if desk.engine.compiled else 2
    while game.done < most:
        game.solve(min(chunk, most - game.done))
        if not clock.in_time():
            break
    kept = int(s.kept[seat])
    judged = game.judge(seat)
    open_ = [j for j in judged if may_become(kept, j[0])]
    chosen = _drawn(desk, open_) if open_ else _completed(desk)
    by_card: dict[int, list[tuple[int, float, float, float]]] = {}
    for one in open_ or [(chosen, 1.0, 0.0, 0.0)]:
        by_card.setdefault(next_card(kept, one[0]), []).append(one)
    move = next_card(kept, chosen)
    found = [_kept_candidate(card, them) for card, them in by_card.items()]
    found.sort(key=lambda one: (one.move != f"keep {move}", -one.win, -one.lead))
    clock.used = game.done
    why = facts.of_picture(desk, chosen)
    return Thought(f"keep {move}", tuple(found[:MOST_SHOWN]), why, game.done)


def _kept_candidate(card: int, them: list[tuple[int, float, float, float]]) -> Candidate:
    """The best that can be shown after a card is kept."""
    _, _, win, lead = max(them, key=lambda one: one[2] + LEAD_COUNTS * one[3])
    return Candidate(f"keep {card}", win, lead, round(1000 * sum(one[1] for one in them)))


def may_become(kept: int, cards: int) -> bool:
    """Whether a picture begins with the cards kept so far, the lowest ones."""
    rest = cards & ~kept
    return kept & ~cards == 0 and (rest & -rest) > kept


def next_card(kept: int, cards: int) -> int:
    """The card of a picture to keep next."""
    rest = cards & ~kept
    return bits_in((rest & -rest) - 1)


def _drawn(desk: Desk, judged: list[tuple[int, float, float, float]]) -> int:
    """A picture, drawn by how often each should be chosen; what hardly ever should, never is."""
    most = max(often for _, often, _, _ in judged)
    serious = [(cards, often) for cards, often, _, _ in judged if often >= 0.05 * most]
    g: Any = kernel.new_states(kernel.GENERATOR, 1, False)[0]
    seed_generator(g, desk.seed, 3)
    left = next_word(g) / 2**32 * sum(often for _, often in serious)
    for cards, often in serious:
        left -= often
        if left < 0:
            return cards
    return serious[-1][0]


def _completed(desk: Desk) -> int:
    """What has been kept, completed by the most valuable cards."""
    return rules.best_picture(desk.s, desk.seat)


def _keep_at_a_glance(desk: Desk) -> Thought:
    """The most valuable cards, or those of most worth to itself."""
    s, seat = desk.s, desk.seat
    m = desk.mind
    kept = int(s.kept[seat])
    cards = [c for c in texts.bits_of(int(s.hand[seat])) if 1 << c > kept]
    worth = {c: float(s.value[c]) for c in cards}
    if desk.style.exhibition == "best":
        worth = {c: weigh_card(s, m, seat, c) for c in cards}
    cards.sort(key=lambda c: (-worth[c], c))
    more = rules.picture_size(s) - bits_in(kept)
    text = f"keep {min(cards[:more])}"
    lead = lead_of(s, m, seat)
    return Thought(text, (Candidate(text, m.win[seat], lead, 1),), (), 1)


__all__ = ["Exhibition", "think_of"]
