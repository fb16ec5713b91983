"""Dice played on quickly: what every seat does in the samples of the search.

A thrower looks up, in a table of how throws at each card scatter, where one more die would bring
the most, and aims there. A collector takes, again and again, what adds the most. `sample` plays a
candidate and what follows, so many times, and counts what came of it; sample k of every candidate
has the same luck.
"""

from __future__ import annotations

from mandalier.games.dice.geometry import aim_at, cells_touched, take_aim
from mandalier.games.dice.rules import (
    cells_to_take,
    die_in_hand,
    end_stroke,
    hide,
    lift,
    play,
    resume,
    roll,
    sum_of,
    take,
    throw,
)
from mandalier.games.dice.state import (
    AGAIN_MOVE,
    BOOSTS,
    CANVASES,
    CHOSEN,
    COLLECT,
    DICE,
    DONE_MOVE,
    EXHIBIT,
    OFFERED,
    PREPARE,
    READY_MOVE,
    STROKES,
    UNSEEN,
    columns_of,
    rows_of,
)
from mandalier.games.kernel import Array, Record, below, bits_in, rule, seed_generator
from mandalier.search.strokes.mind import (
    ACC_INSIDE,
    ACC_LEAD,
    ACC_LOST,
    ACC_N,
    ACC_SQUARES,
    ACC_TOUCH,
    ACC_WIN,
    MOST_LACKING,
    appraise_hands,
    find_boosts,
    lead_of,
    weigh,
)

SAMPLES = 128
"""Throws at each card for the table of how they scatter."""
SPOTS = 10
"""How many cells of a throw at a card are kept, those touched most often."""
SCATTER_ROW = 2 * SPOTS
ROOM = 4 * 5 * CANVASES * SCATTER_ROW
"""The numbers in the table: [seat][icon][card aimed at][spot](cell, chance)."""

ICON_RANK = (3, 4, 2, 7, 8)
"""How much a seat likes to prepare an icon, when one has to be imagined."""
CARE = 0.6
"""What it costs to use up one more die, in points."""

# Kinds of candidates
READY, THROW, CHOICE = range(3)


@rule
def survey(states: Array, table: Array, counts: Array, bank: Array) -> None:
    """Fill the table of how throws scatter, at the table of states[0], without dice lying on it."""
    s = states[0]
    for seat in range(s.seats):
        for icon in range(5):
            for target in range(columns_of(s) * rows_of(s)):
                first = ((seat * 5 + icon) * CANVASES + target) * SCATTER_ROW
                for cell in range(CANVASES):
                    counts[cell] = 0
                scatter(s, seat, icon, target, counts, bank)
                keep_spots(counts, table, first)


@rule
def scatter(s: Record, seat: int, icon: int, target: int, counts: Array, bank: Array) -> None:
    """Count which cells throws at a card touch."""
    for k in range(SAMPLES):
        for other in range(s.seats):
            s.used[other] = 0
            for die in range(DICE):
                lift(s, other, die)
        seed_generator(s, 20 + k, (seat * 5 + icon) * CANVASES + target)
        s.turn = seat
        s.used[seat] = 1 << icon
        s.icon = 1 + icon
        take_aim(s, seat, icon, target)
        roll(s, bank)
        x = int(s.landed_x[0])
        y = int(s.landed_y[0])
        cells = cells_touched(s, x, y, int(s.landed_yaw[0] % 3600))
        while cells != 0:
            lowest = cells & -cells
            cells -= lowest
            counts[bits_in(lowest - 1)] += 1


@rule
def keep_spots(counts: Array, table: Array, first: int) -> None:
    """Write the cells touched most often into a row of the table."""
    for spot in range(SPOTS):
        best = 0
        for cell in range(CANVASES):
            if counts[cell] > counts[best]:
                best = cell
        table[first + 2 * spot] = float(best)
        table[first + 2 * spot + 1] = counts[best] / SAMPLES
        counts[best] = 0


# What one more die brings


@rule
def add_up(s: Record, m: Record) -> None:
    """The sums of each seat's dice on each cell."""
    for seat in range(s.seats):
        for cell in range(CANVASES):
            m.sums[seat][cell] = 0
        if m.alone != 0 and seat != m.seat:
            continue
        for die in range(DICE):
            cells = int(s.touch[seat][die])
            while cells != 0:
                lowest = cells & -cells
                cells -= lowest
                m.sums[seat][bits_in(lowest - 1)] += s.face[seat][die]


@rule
def worth_with(s: Record, m: Record, seat: int, card: int, total: int) -> float:
    """What a card promises to a seat whose dice on it show so much, were it alone there."""
    lacking = int(s.value[card]) - total
    if total == 0:
        return 0.0
    if lacking <= 0:
        return float(m.net[seat][card])
    if lacking > MOST_LACKING:
        return 0.0
    boost = int(m.boost[seat][lacking])
    if boost == 0:
        return float(0.12 * m.net[seat][card])
    return float(max(0.12 * m.net[seat][card], m.worth[seat][card] - m.worth[seat][boost]))


@rule
def hold(own: int, other: int) -> float:
    """How likely a card is one's own, by the sums on it."""
    if other == 0 or own > other + 6:
        return 1.0
    if own > other:
        return 0.85
    if own == other:
        return 0.5
    return 0.12


@rule
def gain_on(s: Record, m: Record, seat: int, cell: int) -> float:
    """What one more die of a seat on a cell brings it on the average."""
    card = int(s.grid[cell])
    if card == 0:
        return 0.0
    own = int(m.sums[seat][cell])
    rival = -1
    most = 0
    for other in range(s.seats):
        if other != seat and m.sums[other][cell] > most:
            most = int(m.sums[other][cell])
            rival = other
    total = 0.0
    for face in range(1, 7):
        total += hold(own + face, most) * worth_with(s, m, seat, card, own + face)
    gain = total / 6.0 - hold(own, most) * worth_with(s, m, seat, card, own)
    if rival >= 0 and own <= most:
        # the chance to outdo the rival there
        outdone = min(6, max(0, own + 6 - most)) / 6.0
        gain += 0.4 * outdone * worth_with(s, m, rival, card, most)
    return gain


@rule
def find_gains(s: Record, m: Record, seat: int) -> None:
    add_up(s, m)
    for cell in range(columns_of(s) * rows_of(s)):
        m.gain[cell] = gain_on(s, m, seat, cell)


@rule
def prospect(m: Record, seat: int, icon: int, target: int, table: Array) -> float:
    """What a throw at a card brings on the average."""
    first = ((seat * 5 + icon) * CANVASES + target) * SCATTER_ROW
    total = 0.0
    for spot in range(SPOTS):
        chance = table[first + 2 * spot + 1]
        if chance == 0.0:
            break
        total += chance * m.gain[int(table[first + 2 * spot])]
    return total


# The quick player


@rule
def quick_stroke(s: Record, m: Record, k: int, table: Array, bank: Array) -> None:
    """The seat whose turn it is throws where it expects the most."""
    seat = int(s.turn)
    if s.second == OFFERED:
        play(s, seat, AGAIN_MOVE)
    left = int(s.prepared[seat] & ~s.used[seat])
    if s.second == CHOSEN:
        left = 1 << int(s.icon - 1)
    if m.alone != 0 and seat != m.seat:
        skip_stroke(s, seat, left)
        return
    find_gains(s, m, seat)
    most = -1.0
    best_icon = bits_in((left & -left) - 1)
    best_target = 0
    for icon in range(5):
        if (left >> icon) & 1 != 0:
            for target in range(columns_of(s) * rows_of(s)):
                if s.grid[target] != 0:
                    brings = prospect(m, seat, icon, target, table)
                    if brings > most:
                        most = brings
                        best_icon = icon
                        best_target = target
    take_aim(s, seat, best_icon, best_target)
    throw(s, seat, best_icon)
    land(s, m, k, bank)


@rule
def skip_stroke(s: Record, seat: int, left: int) -> None:
    """A throw that is not looked at."""
    s.used[seat] |= left & -left
    end_stroke(s)


@rule
def land(s: Record, m: Record, k: int, bank: Array) -> None:
    """Let the throw in the air land, with the luck that this throw has in sample k."""
    thrown = int(s.second != 0)
    for seat in range(s.seats):
        thrown += 2 * bits_in(s.used[seat])
    seed_generator(s, int(m.seed), (k * 8 + s.round) * 64 + thrown)
    roll(s, bank)
    resume(s)


@rule
def quick_collect(s: Record, m: Record) -> None:
    """The seat whose turn it is takes again and again what adds the most, then is done."""
    seat = int(s.turn)
    find_boosts(s, m, seat)
    for _ in range(DICE):
        which = best_take(s, m, seat)
        if which < 0:
            break
        take(s, seat, which)
        if which % BOOSTS != 0:
            find_boosts(s, m, seat)
    play(s, seat, DONE_MOVE)


@rule
def best_take(s: Record, m: Record, seat: int) -> int:
    """The take that adds the most, as `take` has it; −1 for none."""
    free = cells_to_take(s, seat)
    most = 0.0
    best = -1
    while free != 0:
        lowest = free & -free
        free -= lowest
        cell = bits_in(lowest - 1)
        card = int(s.grid[cell])
        there = 0
        for die in range(DICE):
            if s.touch[seat][die] & lowest != 0:
                there |= 1 << die
        dice = there
        while dice != 0:
            total = sum_of(s, seat, dice)
            lacking = int(s.value[card]) - total
            boost = 0
            adds = m.net[seat][card]
            if lacking > 0:
                boost = int(m.boost[seat][lacking]) if lacking <= MOST_LACKING else 0
                adds = m.worth[seat][card] - m.worth[seat][boost] if boost != 0 else -1.0
            adds -= CARE * (bits_in(dice) - 1)
            if adds > most:
                most = adds
                best = ((dice - 1) * 4 + corner_of(s, cell)) * BOOSTS + boost
            dice = (dice - 1) & there
    return best


@rule
def corner_of(s: Record, cell: int) -> int:
    """Whether a cell's column (bit 0) and row (bit 1) are odd."""
    columns = columns_of(s)
    return (cell % columns & 1) + 2 * (cell // columns & 1)


@rule
def quick_icons(s: Record, m: Record) -> int:
    """Icons that a seat may well prepare."""
    icons = 0
    for _ in range(s.round + 1):
        most = -1
        best = 0
        for icon in range(5):
            if (icons >> icon) & 1 == 0:
                liked = ICON_RANK[icon] * 100 + below(m, 400)
                if liked > most:
                    most = liked
                    best = icon
        icons |= 1 << best
    return icons


@rule
def prepare_all(s: Record, m: Record) -> None:
    """All who have yet to prepare do so."""
    for seat in range(s.seats):
        if s.phase == PREPARE and s.prepared[seat] == 0:
            play(s, seat, READY_MOVE + quick_icons(s, m) - 1)


@rule
def finish_round(s: Record, m: Record, k: int, table: Array, bank: Array) -> None:
    """Play on to the end of the round."""
    this = int(s.round)
    while s.round == this and (s.phase == STROKES or s.phase == COLLECT):
        if s.phase == STROKES:
            quick_stroke(s, m, k, table, bank)
        else:
            quick_collect(s, m)


@rule
def play_out(s: Record, m: Record, k: int, table: Array, bank: Array) -> None:
    """Play on to the end of the round, or of as many more as the mind asks for; then appraise."""
    prepare_all(s, m)
    finish_round(s, m, k, table, bank)
    for _ in range(m.rounds):
        if s.phase != EXHIBIT:
            weigh(s, m)
            prepare_all(s, m)
            finish_round(s, m, k, table, bank)
    appraise_hands(s, m)


# Samples of candidates


@rule
def begin(states: Array, m: Record, k: int) -> None:
    """Imagine world k of the position in states[0] in states[1]."""
    states[1] = states[0]
    s = states[1]
    seed_generator(m, int(m.seed), k)
    if s.phase == PREPARE:
        for seat in range(s.seats):
            if s.prepared[seat] == UNSEEN:
                s.prepared[seat] = quick_icons(s, m)
    s.viewer = 0
    if m.rounds != 0:
        weigh(s, m)
    for seat in range(s.seats):
        find_boosts(s, m, seat)


@rule
def open_mind(states: Array, minds: Array, seat: int, seed: int) -> None:
    """Make the position in states[0] what the seat may know, and weigh the cards."""
    hide(states[0], seat)
    s = states[0]
    m = minds[0]
    m.seat = seat
    m.seed = seed
    if m.alone != 0 and s.phase == STROKES:
        for other in range(s.seats):
            if other != seat:
                for die in range(DICE):
                    lift(s, other, die)
    weigh(s, m)


@rule
def sample(
    states: Array,
    minds: Array,
    kind: int,
    what: int,
    gesture: Array,
    first: int,
    last: int,
    found: Array,
    at: int,
    table: Array,
    bank: Array,
) -> None:
    """Play a candidate in the worlds first to last − 1 and add what came of it to `found`.

    READY: prepare the icons `what`. THROW: by the icon `what`, with this gesture. CHOICE: the move
    `what`, again or leave.
    """
    m = minds[0]
    for k in range(first, last):
        begin(states, m, k)
        s = states[1]
        seat = int(m.seat)
        if kind == READY:
            play(s, seat, READY_MOVE + what - 1)
        elif kind == CHOICE:
            play(s, seat, what)
        else:
            for i in range(3):
                s.gesture[i] = gesture[i]
            before = dice_lying(s, seat)
            die = bits_in(s.used[seat]) if s.second == 0 else die_in_hand(s, seat)
            throw(s, seat, what)
            land(s, m, k, bank)
            note_throw(s, seat, die, dice_lying(s, seat) - before, found, at)
        conclude(states, m, k, found, at, table, bank)


@rule
def sample_on(
    states: Array,
    minds: Array,
    first: int,
    last: int,
    found: Array,
    at: int,
    table: Array,
    bank: Array,
) -> None:
    """Play on from the position in states[2], a throw's outcome in states[0], in these worlds."""
    m = minds[0]
    for k in range(first, last):
        begin(states, m, k)
        states[1] = states[2]
        conclude(states, m, k, found, at, table, bank)


@rule
def conclude(
    states: Array, m: Record, k: int, found: Array, at: int, table: Array, bank: Array
) -> None:
    """Play states[1] on and add what came of it."""
    s = states[1]
    seat = int(m.seat)
    if m.short != 0 and s.phase == STROKES and s.second != OFFERED:
        s.phase = COLLECT
        s.turn = seat
        quick_collect(s, m)
        appraise_hands(s, m)
    else:
        play_out(s, m, k, table, bank)
    win = m.win[seat]
    lead = lead_of(s, m, seat)
    found[at + ACC_N] += 1.0
    found[at + ACC_WIN] += win
    found[at + ACC_LEAD] += lead
    found[at + ACC_SQUARES] += win * win


@rule
def dice_lying(s: Record, seat: int) -> int:
    """How many dice of others lie on cards."""
    n = 0
    for other in range(s.seats):
        if other != seat:
            for die in range(DICE):
                n += int(s.touch[other][die] != 0)
    return n


@rule
def note_throw(s: Record, seat: int, die: int, lost: int, found: Array, at: int) -> None:
    """Count where the thrown die ended."""
    if s.face[seat][die] != 0:
        found[at + ACC_INSIDE] += 1.0
    cells = int(s.touch[seat][die])
    while cells != 0:
        lowest = cells & -cells
        cells -= lowest
        found[at + ACC_TOUCH + bits_in(lowest - 1)] += 1.0
    if lost < 0:
        found[at + ACC_LOST] += 1.0


@rule
def rank_aims(states: Array, minds: Array, scores: Array, table: Array) -> None:
    """What each icon at each card promises to the seat, at a glance: [icon][card]."""
    s = states[0]
    m = minds[0]
    seat = int(m.seat)
    find_gains(s, m, seat)
    for icon in range(5):
        for target in range(columns_of(s) * rows_of(s)):
            scores[icon * CANVASES + target] = prospect(m, seat, icon, target, table)


@rule
def gestures_of(states: Array, icon: int, x: int, y: int, knock: int, out: Array) -> None:
    """The gesture of the thrower in states[0] that should reach a point."""
    s = states[0]
    aim_at(s, int(s.viewer) - 1, icon, x, y, knock)
    for i in range(3):
        out[i] = s.gesture[i]
        s.gesture[i] = 0


@rule
def take_at_a_glance(states: Array, minds: Array) -> int:
    """What the quick player would take first in states[0]; −1 for nothing. The mind appraises the
    position after all have collected so."""
    m = minds[0]
    states[1] = states[0]
    s = states[1]
    seat = int(m.seat)
    s.viewer = 0
    find_boosts(s, m, seat)
    which = best_take(s, m, seat)
    this = int(s.round)
    while s.phase == COLLECT and s.round == this:
        quick_collect(s, m)
    appraise_hands(s, m)
    return which
