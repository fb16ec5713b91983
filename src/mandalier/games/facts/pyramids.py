"""Facts of pyramids: majorities, what a step leaves behind, and what lies ahead."""

from __future__ import annotations

from typing import Any

from mandalier.games.facts import Fact
from mandalier.games.kernel import new_states
from mandalier.games.pyramids import (
    GROUPS,
    OF_A_GROUP,
    STATE,
    complete,
    counts_of,
    eye_of,
    play,
    ranking,
    stack_of,
)
from mandalier.games.words import listed, say, say_n

SECURE = 3  # of the five of a group
SHOWN = 5  # groups named in a row


def facts(s: Any, seat: int, move: int) -> list[Fact]:
    states = new_states(STATE, 1, False)
    states[0] = s
    after: Any = states[0]
    play(after, seat, move)
    group = s.path[move] - 1
    return [
        *_scored(s, after, seat),
        *_majority(s, seat, group),
        *_left_behind(s, after, seat, move),
        *_fallen(s, after),
        *_ahead(s, after, seat),
    ]


def _scored(s: Any, after: Any, seat: int) -> list[Fact]:
    """The groups that the move completes."""
    done = list(counts_of(complete(after.off) - complete(s.off)))
    if not done:
        return []
    gains = [after.points[other] - s.points[other] for other in range(s.seats)]
    names = _named(done)
    best_other = max(gain for other, gain in enumerate(gains) if other != seat)
    weight = 1.5 * (gains[seat] - best_other)
    told = [
        say_n("{n} point for seat {seat}", "{n} points for seat {seat}", gain, seat=other)
        for other, gain in enumerate(gains)
        if gain
    ]
    if not told:
        return [Fact("scores", 0.0, say("completes {groups}, all in the eye", groups=names))]
    text = say("completes {groups}: {points}", groups=names, points=listed(told))
    return [Fact("scores", float(weight), text)]


def _named(groups: list[str]) -> str:
    if len(groups) > SHOWN:
        return say_n("{n} group", "{n} groups", len(groups))
    return listed(groups)


def _majority(s: Any, seat: int, group: int) -> list[Fact]:
    """What one pyramid more does for the seat in its group."""
    counts = [stack_of(s.held[other], group) for other in range(s.seats)]
    mine = counts[seat] + 1
    most = max(n for other, n in enumerate(counts) if other != seat)
    unknown = OF_A_GROUP - stack_of(s.off, group) - 1
    names = {"group": GROUPS[group], "a": mine, "b": most}
    found = []
    if counts[seat] < SECURE <= mine or (counts[seat] <= most + unknown + 1 < mine):
        found.append(Fact("most", 2.0, say("secures most of {group}", **names)))
    elif mine > most and counts[seat] <= most:
        text = say("takes the lead in {group}, {a} to {b}", **names)
        found.append(Fact("most", 1.2 if most else 0.8, text))
    elif mine > most:
        text = say("extends its lead in {group}, {a} to {b}", **names)
        found.append(Fact("most", 0.9, text))
    elif mine == most:
        found.append(Fact("most", 0.8, say("draws level in {group}, {a} each", **names)))
    else:
        found.append(Fact("most", 0.3, say("holds {a} of {group}, the best {b}", **names)))
    leaders = [other for other, n in enumerate(counts) if other != seat and n == most >= 2]
    if leaders and most < SECURE:
        text = say("keeps {group} from seat {seat}, which holds {b}", seat=leaders[0], **names)
        found.append(Fact("denies", 0.4 * most, text))
    return found


def _left_behind(s: Any, after: Any, seat: int, move: int) -> list[Fact]:
    """The pyramids passed that others still may take."""
    if after.over:
        return []
    start = s.pawn[seat]
    passed = [after.path[i] - 1 for i in range(start, move) if after.path[i]]
    if not passed:
        return []
    hurts = 0.0
    wanted = []
    for group in sorted(set(passed)):
        first_two = ranking(after, group)[:2]
        for other in range(s.seats):
            if other != seat and after.pawn[other] < move and stack_of(after.held[other], group):
                hurts += 0.3 * passed.count(group) * (1.3 if other in first_two else 1.0)
                if GROUPS[group] not in wanted:
                    wanted.append(GROUPS[group])
    text = say_n("leaves {n} pyramid behind", "leaves {n} pyramids behind", len(passed))
    if wanted:
        text = say("{left}, {groups} of use to those who follow", left=text, groups=_named(wanted))
    return [Fact("leaves", -0.15 * len(passed) - hurts, text)]


def _fallen(s: Any, after: Any) -> list[Fact]:
    n = sum(counts_of(eye_of(after) - eye_of(s)).values())
    if not n:
        return []
    text = say_n("lets {n} pyramid fall into the eye", "lets {n} pyramids fall into the eye", n)
    return [Fact("eye", 0.05 * n, text)]


def _ahead(s: Any, after: Any, seat: int) -> list[Fact]:
    if after.over:
        gained = sum(counts_of(after.held[seat] - s.held[seat]).values()) - 1
        points = list(after.points[: s.seats])
        lead = points[seat] - max(p for other, p in enumerate(points) if other != seat)
        text = say("ends the game, {points}", points=" : ".join(map(str, points)))
        ends = Fact("ends", float(max(-4, min(4, lead))), text)
        if not gained:
            return [ends]
        took = say_n("takes the last {n} pyramid too", "takes the last {n} pyramids too", gained)
        return [ends, Fact("rest", 0.3 * gained, took)]
    ahead = sum(1 for i in range(after.pawn[seat], after.last) if after.path[i])
    text = say_n(
        "keeps {n} pyramid ahead of its pawn", "keeps {n} pyramids ahead of its pawn", ahead
    )
    return [Fact("ahead", 0.12 * ahead, text)]
