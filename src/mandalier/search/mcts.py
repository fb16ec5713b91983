"""One search for every game: a tree over information sets, for two to five seats.

Every iteration imagines a world that the thinking seat cannot rule out, walks down the tree along
moves that are legal in that world, and values where it ends: by random play to the end of the game,
or by a net. Nodes stand for sequences of moves; what chance does between them is drawn anew each
time and not kept apart, and a move's statistics know how often it was possible. Each seat chooses
for itself: a value for each seat comes back up.

The search works on a hidden record, imagines every world from it, and has a generator of its own,
from a seed and the number of the iteration. It never sees the table's state.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from mandalier.games.contract import (
    MAX_SEATS,
    appraise,
    hide,
    imagine,
    legal,
    play,
    resume,
    roll,
    score,
    waiting,
)
from mandalier.games.engine import Engine
from mandalier.games.kernel import (
    Array,
    below,
    new_states,
    next_word,
    rule,
    seed_generator,
)
from mandalier.search import net as nets
from mandalier.search.net import appraise_moves, appraise_position
from mandalier.search.tree import MARK, NODE, ROOT, USED, keep_below

STYLE = np.dtype(
    [
        ("by_net", "i8"),  # how positions are valued: 0 by random play to the end, BY_MOVER by a
        # net, as the seat to move sees them, BY_ALL by a net, as all seats see them
        ("horizon", "i8"),  # a line is valued after so many moves, at the latest
        ("playout", "i8"),  # random play goes on for so many moves, then a glance has to do
        ("explore", "f8"),  # how much is tried beside what looks best
        ("lead_part", "f8"),  # how much of a value is the lead, the rest being the win
        ("lead_scale", "f8"),  # the lead at which half of that part is reached
        ("blind", "f8"),  # how often another seat is taken to move at random, 0 to 1
        ("even", "f8"),  # how far priors are evened out, 0 to 1
    ],
    align=True,
)
"""How a search thinks."""


class Desk(NamedTuple):
    """All a search works with, as one argument."""

    states: Any  # [0] the hidden record, [1] the world of an iteration
    nodes: Any
    counts: Any  # [USED, MARK or ROOT]
    place: Any  # [node] for keep_below
    line: Any  # the nodes from the root to where an iteration is
    marks: Any  # [move]
    out: Any
    points: Any
    values: Any  # [worth, win and lead][seat], flat
    g: Any
    bank: Any
    style: Any
    net: Any
    sights: Any
    noticed: Any
    work: Any
    wins: Any
    leads: Any
    logits: Any
    racers: Any  # the children of the root that are still in the race
    race: Any  # their scores: by their priors, then with what was found


BY_MOVER, BY_ALL = 1, 2
WORLD = 1
WIN = MAX_SEATS
LEAD = 2 * MAX_SEATS
LONGEST = 256  # moves of a line
TO_THE_END = 1 << 30
UNTRIED = 0.25  # an untried move is taken for so much worse, times the share already tried
NEVER = -1e18
SURE = 50.0  # how much what was found counts beside priors: TRUST × (SURE + most visits)
TRUST = 0.5


@rule
def search_on(desk: Desk, seed: int, first: int, iterations: int, forced: int) -> None:
    """Search some iterations more, numbered from `first`. With `forced` (a child of the root) every
    line begins there."""
    for i in range(first, first + iterations):
        imagine_world(desk, seed, i)
        one_line(desk, forced)


@rule
def imagine_world(desk: Desk, seed: int, i: int) -> None:
    """A world for iteration i, in states[1]."""
    seed_generator(desk.g[0], seed, i)
    high = next_word(desk.g[0])
    desk.states[WORLD] = desk.states[0]
    imagine(desk.states[WORLD], (high << 30) | (next_word(desk.g[0]) >> 2))


@rule
def one_line(desk: Desk, forced: int) -> None:
    """Walk down the tree to a new node, value it, and tell all nodes on the way."""
    s = desk.states[WORLD]
    nodes = desk.nodes
    node = int(desk.counts[ROOT])
    horizon = min(int(desk.style[0].horizon), LONGEST)
    depth = 0
    while True:
        while s.chance != 0:
            roll(s, desk.bank)
            resume(s)
        if s.over != 0 or depth >= horizon or (depth > 0 and nodes[node].visits == 0):
            break
        seat = lowest_seat(waiting(s))
        n = legal(s, seat, desk.out)
        child = forced
        if depth > 0 or forced == 0:
            child = choose_child(desk, node, seat, n)
            if child == 0:
                break
        play(s, seat, nodes[child].move)
        node = child
        desk.line[depth] = node
        depth += 1
    value_world(desk)
    for i in range(depth):
        at = nodes[desk.line[i]]
        at.visits += 1
        at.total += desk.values[at.seat]
        at.win += desk.values[WIN + at.seat]
        at.lead += desk.values[LEAD + at.seat]


@rule
def lowest_seat(mask: int) -> int:
    """The lowest of the seats that may move."""
    seat = 0
    while (mask >> seat) & 1 == 0:
        seat += 1
    return seat


# The tree --------------------------------------------------------------------------------------


@rule
def choose_child(desk: Desk, node: int, seat: int, n: int) -> int:
    """The child of a node to go on with, among the n moves of `out`; 0 if there is no room for it.

    Marks tell which moves are possible in this world (mark) and have a node (−mark)."""
    nodes = desk.nodes
    marks = desk.marks
    style = desk.style[0]
    desk.counts[MARK] += 1
    mark = int(desk.counts[MARK])
    for i in range(n):
        marks[desk.out[i]] = mark
    missing = n
    tried = 0
    gain = 0.0
    known = 0.0
    child = int(nodes[node].first)
    while child != 0:
        at = nodes[child]
        if at.seat == seat and marks[at.move] == mark:
            marks[at.move] = -mark
            at.seen += 1
            missing -= 1
            tried += at.visits
            gain += at.total
            if at.visits > 0:
                known += at.prior
        child = int(at.next)
    if missing > 0:
        if style.by_net == 0:
            return add_one(desk, node, seat, n, missing, mark)
        if desk.counts[USED] + missing > len(nodes):
            return 0
        add_all(desk, node, seat, n, mark)
    if style.blind > 0.0 and seat != desk.states[0].viewer - 1:
        if next_word(desk.g[0]) < style.blind * 4294967296.0:
            return random_child(desk, node, seat, below(desk.g[0], n), mark)
    if style.by_net == 0:
        return best_by_bound(desk, node, seat, mark)
    untried = gain / tried - UNTRIED * math.sqrt(known) if tried > 0 else 0.5
    return best_by_prior(desk, node, seat, mark, tried, untried)


@rule
def best_by_prior(desk: Desk, node: int, seat: int, mark: int, tried: int, untried: float) -> int:
    """The child that looks best, and by its prior deserves to be tried (PUCT)."""
    nodes = desk.nodes
    explore = desk.style[0].explore
    best = 0
    most = NEVER
    child = int(nodes[node].first)
    while child != 0:
        at = nodes[child]
        if at.seat == seat and desk.marks[at.move] == -mark:
            value = at.total / at.visits if at.visits > 0 else untried
            value += explore * at.prior * math.sqrt(float(at.seen)) / (1 + at.visits)
            if at.prior < 0.0:
                value = 0.5 * NEVER
            if value > most:
                most = value
                best = child
        child = int(at.next)
    return best


@rule
def best_by_bound(desk: Desk, node: int, seat: int, mark: int) -> int:
    """The child whose value may be highest (UCB), among moves that were all tried."""
    nodes = desk.nodes
    explore = desk.style[0].explore
    best = 0
    most = NEVER
    child = int(nodes[node].first)
    while child != 0:
        at = nodes[child]
        if at.seat == seat and desk.marks[at.move] == -mark:
            value = at.total / max(1, at.visits)
            value += explore * math.sqrt(math.log(float(at.seen)) / max(1, at.visits))
            if at.prior < 0.0:
                value = 0.5 * NEVER
            if value > most:
                most = value
                best = child
        child = int(at.next)
    return best


@rule
def random_child(desk: Desk, node: int, seat: int, skip: int, mark: int) -> int:
    """The child after `skip` others that are possible in this world."""
    nodes = desk.nodes
    child = int(nodes[node].first)
    while child != 0:
        at = nodes[child]
        if at.seat == seat and desk.marks[at.move] == -mark:
            if skip == 0:
                return child
            skip -= 1
        child = int(at.next)
    return 0


@rule
def new_child(desk: Desk, node: int, seat: int, move: int, prior: float) -> int:
    """Add a child to a node; it was possible once."""
    nodes = desk.nodes
    child = int(desk.counts[USED])
    desk.counts[USED] = child + 1
    at = nodes[child]
    at.first = 0
    at.next = nodes[node].first
    at.move = move
    at.seat = seat
    at.visits = 0
    at.seen = 1
    at.prior = prior
    at.total = 0.0
    at.win = 0.0
    at.lead = 0.0
    nodes[node].first = child
    return child


@rule
def add_one(desk: Desk, node: int, seat: int, n: int, missing: int, mark: int) -> int:
    """Add a child for one of the moves that have none, any with the same chance."""
    if desk.counts[USED] >= len(desk.nodes):
        return 0
    skip = below(desk.g[0], missing)
    for i in range(n):
        if desk.marks[desk.out[i]] == mark:
            if skip == 0:
                return new_child(desk, node, seat, int(desk.out[i]), 1.0)
            skip -= 1
    return 0


@rule
def add_all(desk: Desk, node: int, seat: int, n: int, mark: int) -> None:
    """Add children for all moves that have none, with how likely the net thinks they are."""
    s = desk.states[WORLD]
    at = appraise_position(s, seat, desk.net, desk.sights, desk.work, desk.wins, desk.leads)
    appraise_moves(s, seat, n, desk.out, desk.net, at, desk.noticed, desk.work, desk.logits)
    most = desk.logits[0]
    for i in range(1, n):
        most = max(most, desk.logits[i])
    total = 0.0
    for i in range(n):
        desk.logits[i] = math.exp(desk.logits[i] - most)
        total += desk.logits[i]
    even = desk.style[0].even
    for i in range(n):
        move = int(desk.out[i])
        if desk.marks[move] == mark:
            desk.marks[move] = -mark
            prior = (1.0 - even) * desk.logits[i] / total + even / n
            new_child(desk, node, seat, move, prior)


# Values ----------------------------------------------------------------------------------------


@rule
def value_world(desk: Desk) -> None:
    """What the world a line has come to is worth: worth, win and lead for each seat."""
    s = desk.states[WORLD]
    if s.over == 0 and desk.style[0].by_net == 0:
        play_out(desk, int(desk.style[0].playout))
    if s.over != 0:
        winners = score(s, desk.points)
        count = 0
        for seat in range(s.seats):
            count += (winners >> seat) & 1
        for seat in range(s.seats):
            desk.wins[seat] = float((winners >> seat) & 1) / count
            desk.leads[seat] = float(desk.points[seat])
    elif desk.style[0].by_net == 0:
        glance(desk)
    else:
        appraise_position(
            s, lowest_seat(waiting(s)), desk.net, desk.sights, desk.work, desk.wins, desk.leads
        )
        if desk.style[0].by_net == BY_ALL:
            ask_others(desk)
    weigh_values(desk, int(s.seats))


@rule
def ask_others(desk: Desk) -> None:
    """Join what the seat to move expects with what each of the others does, which sees its own hand
    and not that of the seat to move."""
    s = desk.states[WORLD]
    seats = int(s.seats)
    mover = lowest_seat(waiting(s))
    for seat in range(seats):
        desk.values[seat] = desk.wins[seat]
        desk.values[LEAD + seat] = desk.leads[seat]
    for k in range(1, seats):
        seat = (mover + k) % seats
        appraise_position(s, seat, desk.net, desk.sights, desk.work, desk.wins, desk.leads)
        for other in range(seats):
            desk.values[other] += desk.wins[other]
            desk.values[LEAD + other] += desk.leads[other]
    for seat in range(seats):
        desk.wins[seat] = desk.values[seat] / seats
        desk.leads[seat] = desk.values[LEAD + seat] / seats


@rule
def weigh_values(desk: Desk, seats: int) -> None:
    """From chances to win and points to what each seat plays for."""
    part = desk.style[0].lead_part
    scale = desk.style[0].lead_scale
    for seat in range(seats):
        best = -1e9
        for other in range(seats):
            if other != seat:
                best = max(best, desk.leads[other])
        lead = desk.leads[seat] - best
        worth = 0.5 + 0.5 * lead / (scale + abs(lead))
        desk.values[seat] = (1.0 - part) * desk.wins[seat] + part * worth
        desk.values[WIN + seat] = desk.wins[seat]
        desk.values[LEAD + seat] = lead


@rule
def glance(desk: Desk) -> None:
    """What the world promises at a glance: points, and from their differences chances to win."""
    s = desk.states[WORLD]
    appraise(s, desk.points)
    seats = int(s.seats)
    scale = desk.style[0].lead_scale
    total = 0.0
    for seat in range(seats):
        desk.leads[seat] = desk.points[seat] / 100.0
    for seat in range(seats):
        best = -1e9
        for other in range(seats):
            if other != seat:
                best = max(best, desk.leads[other])
        lead = desk.leads[seat] - best
        desk.wins[seat] = 0.5 + 0.5 * lead / (scale + abs(lead))
        total += desk.wins[seat]
    for seat in range(seats):
        desk.wins[seat] /= total


@rule
def play_out(desk: Desk, most: int) -> None:
    """Random play for so many moves, or to the end of the game; not to where chance is due."""
    s = desk.states[WORLD]
    while s.over == 0 and (most > 0 or s.chance != 0):
        if s.chance != 0:
            roll(s, desk.bank)
            resume(s)
        else:
            most -= 1
            seat = lowest_seat(waiting(s))
            n = legal(s, seat, desk.out)
            play(s, seat, desk.out[below(desk.g[0], n)])


# The root --------------------------------------------------------------------------------------


@rule
def open_root(desk: Desk, seed: int) -> int:
    """Begin a tree, with a child for each legal move of the seat that thinks; how many there are."""
    desk.counts[USED] = 1
    desk.counts[ROOT] = 0
    root = desk.nodes[0]
    root.first = 0
    root.next = 0
    root.visits = 0
    imagine_world(desk, seed, 0)
    s = desk.states[WORLD]
    seat = int(desk.states[0].viewer) - 1
    n = legal(s, seat, desk.out)
    desk.counts[MARK] += 1
    mark = int(desk.counts[MARK])
    for i in range(n):
        desk.marks[desk.out[i]] = mark
    if desk.style[0].by_net == 0:
        for i in range(n - 1, -1, -1):
            new_child(desk, 0, seat, int(desk.out[i]), 1.0 / n)
    else:
        add_all(desk, 0, seat, n, mark)
    return n


@rule
def halve(desk: Desk, seed: int, iterations: int, most: int, noise: float) -> int:
    """Spend a small budget well: take the moves that look best (with noise, by chance in proportion
    to their priors: Gumbel's trick), give each the same, drop the worse half, and so on (sequential
    halving). Return the child that is left.

    """
    nodes = desk.nodes
    n = 0
    seed_generator(desk.g[0], seed, 1 << 40)
    child = int(nodes[int(desk.counts[ROOT])].first)
    while child != 0:
        at = nodes[child]
        if at.prior >= 0.0:
            score_of = math.log(max(at.prior, 1e-9))
            if noise > 0.0:
                unit = (next_word(desk.g[0]) + 0.5) / 4294967296.0
                score_of -= noise * math.log(-math.log(unit))
            desk.racers[n] = child
            desk.race[n] = score_of
            n += 1
        child = int(at.next)
    put_in_order(desk, 0, n)
    n = min(n, most)
    rounds = 1
    while (1 << rounds) < n:
        rounds += 1
    done = 0
    for k in range(rounds):
        each = max(1, (iterations - done) // ((rounds - k) * n))
        for i in range(n):
            search_on(desk, seed, done, each, int(desk.racers[i]))
            done += each
        race_on(desk, n)
        n = max(1, (n + 1) // 2)
        if done >= iterations and n > 1:
            break
    return int(desk.racers[0])


@rule
def race_on(desk: Desk, n: int) -> None:
    """Put those in the race in order, by prior and what the search found."""
    most = 0
    for i in range(n):
        most = max(most, int(desk.nodes[desk.racers[i]].visits))
    for i in range(n):
        at = desk.nodes[desk.racers[i]]
        found = TRUST * (SURE + most) * at.total / max(1, at.visits)
        desk.race[n + i] = desk.race[i] + found
    put_in_order(desk, n, n)


@rule
def put_in_order(desk: Desk, by: int, n: int) -> None:
    """Sort the first n in the race by the numbers at race[by …], highest first."""
    for i in range(1, n):
        j = i
        while j > 0 and desk.race[by + j - 1] < desk.race[by + j]:
            swap(desk.race, by + j)
            if by > 0:
                swap(desk.race, j)
            swap(desk.racers, j)
            j -= 1


@rule
def swap(numbers: Array, j: int) -> None:
    """Exchange a number with the one before it."""
    kept = numbers[j]
    numbers[j] = numbers[j - 1]
    numbers[j - 1] = kept


@rule
def follow(desk: Desk, n: int, seat: int) -> int:
    """What the seat knows, in states[1], when the moves of the first n nodes of `line` have been
    played from where the tree grew; 1 if chance is due then."""
    s = desk.states[WORLD]
    imagine_world(desk, 0, 0)
    for i in range(n):
        at = desk.nodes[desk.line[i]]
        play(s, at.seat, at.move)
    due = int(s.chance)
    hide(s, seat)
    return due


OPEN, ON, HALVE, FOLLOW, KEEP = range(5)


@rule
def search(
    desk: Desk, what: int, seed: int, first: int, iterations: int, most: int, noise: float
) -> int:
    """All of a search as one rule, so that it is compiled and loaded in one piece."""
    if what == OPEN:
        return open_root(desk, seed)
    if what == HALVE:
        return halve(desk, seed, iterations, most, noise)
    if what == FOLLOW:
        return follow(desk, first, most)
    if what == KEEP:
        keep_below(desk.nodes, desk.counts, desk.place, first)
        return 0
    search_on(desk, seed, first, iterations, 0)
    return 0


def desk_for(engine: Engine, nodes: int, net: nets.Net | None = None) -> Desk:
    """A desk for a game, with room for so many nodes."""
    module, moves = engine.game, engine.game.MOVES
    globals_, entities, each = getattr(module, "SIGHTS", (1, 0, 0))
    return Desk(
        states=engine.states(2),
        nodes=new_states(NODE, nodes, engine.compiled),
        counts=engine.array(4),
        place=engine.array(nodes, "i4"),
        line=engine.array(LONGEST),
        marks=engine.array(moves),
        out=engine.move_list(),
        points=engine.array(MAX_SEATS),
        values=engine.array(3 * MAX_SEATS, "f8"),
        g=engine.generators(1),
        bank=engine.bank,
        style=new_states(STYLE, 1, engine.compiled),
        net=net.flat if net else nets.no_net(),
        sights=engine.array(globals_ + entities * each, "i2"),
        noticed=engine.array(getattr(module, "NOTICED", 1), "i2"),
        work=np.zeros(nets.WORK, "f4"),
        wins=engine.array(MAX_SEATS, "f8"),
        leads=engine.array(MAX_SEATS, "f8"),
        logits=engine.array(moves, "f8"),
        racers=engine.array(moves),
        race=engine.array(2 * moves, "f8"),
    )
