"""Explanations: what is said of a move is true, and made from what its seat may know."""

from __future__ import annotations

from typing import Any

import pytest

from mandalier.games.facts import Fact, facts_of
from mandalier.games.game import GAMES, State, View, deal, position
from mandalier.games.kernel import kinds, size
from mandalier.games.words import speaking
from mandalier.search.bot import Candidate
from mandalier.search.why import compare, reasons
from tests.support import TABLES, plays


def facts(state: State, seat: int, move: str) -> dict[str, Fact]:
    """The facts of a move by their keys, found in the hidden state."""
    view = state.view(seat)
    module = view.game.module
    number = next(n for n in state.numbers(seat) if module.text(view.look(), n) == move)
    found = facts_of(module)(view.look(), seat, number)
    assert len({fact.key for fact in found}) == len(found), "a key is there twice"
    return {fact.key: fact for fact in found}


def after(state: State, seat: int, move: str) -> State:
    """The state right after a move, before chance that may follow."""
    trial = state.copy()
    trial.move(move, seat)
    return trial


def moves_in(name: str, seats: int, seeds: range, every: int = 3) -> Any:
    """Moves of random games: (state, seat, move), some of each position."""
    for seed in seeds:
        for state in plays(name, seats, seed):
            for seat in state.waiting:
                for move in state.legal(seat)[seed % every :: every]:
                    yield state, seat, move


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_every_legal_move_has_facts_and_they_are_said_in_words(name: str, seats: int) -> None:
    silent = total = 0
    for state, seat, move in moves_in(name, seats, range(1), every=7):
        found = facts(state, seat, move)
        total += 1
        silent += not found
        assert all(fact.text and "{" not in fact.text for fact in found.values())
    assert silent * 20 < total


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_reasons_are_the_same_for_states_a_seat_cannot_tell_apart(name: str, seats: int) -> None:
    for state in plays(name, seats, 3):
        if state.over or len(state.log) % 5:
            continue
        seat = state.waiting[0]
        view, other = state.view(seat), state.view(seat).imagine(11).view(seat)
        candidates = [Candidate(move, 1 / (2 + i), 0.0) for i, move in enumerate(view.legal()[:6])]
        best = candidates[0].move
        assert reasons(view, candidates, best) == reasons(other, candidates, best)


def test_a_full_state_is_not_explained() -> None:
    state: Any = deal("sand", seed=1)
    with pytest.raises((TypeError, AttributeError)):
        reasons(state, (), state.legal()[0])


# sand


def test_a_sand_move_completes_a_mandala_if_and_only_if_it_says_so() -> None:
    seen = 0
    for state, seat, move in moves_in("sand", 2, range(4)):
        if move[0] not in "mf":
            continue
        n = int(move[1]) - 1
        before, trial = state.look(), after(state, seat, move)
        s = trial.look()
        told = facts(state, seat, move).get("completes")
        if trial.chance_due:
            continue  # a draw was interrupted: the turn is not over
        # a mandala without fields goes at once, and its mountain with it
        gone = move[0] == "m" and size(s.mountain[n]) < size(before.mountain[n])
        assert (told is not None) == (s.claiming == n + 1 or gone)
        if s.claiming:
            assert told is not None
            assert f"mandala {n + 1}; seat {s.turn} chooses first" in told.text
            seen += 1
    assert seen > 20


def test_a_sand_claim_says_what_it_takes_and_when_it_fills_the_river() -> None:
    filled = 0
    for state, seat, move in moves_in("sand", 2, range(6), every=1):
        if move[0] != "c":
            continue
        before, now = state.look(), after(state, seat, move).look()
        found = facts(state, seat, move)
        gained = after(state, seat, move).scores[seat] - state.scores[seat]
        field = before.field[before.claiming - 1][seat]
        if field and before.river_n[seat] == now.river_n[seat]:
            assert found["takes"].weight == gained
        fills = before.river_n[seat] == 5 and now.river_n[seat] == 6
        assert ("ends" in found) == fills
        filled += fills
    assert filled > 0


def test_it_is_said_who_would_choose_first_in_a_mandala_that_lacks_one_colour() -> None:
    seen = 0
    for state, seat, move in moves_in("sand", 2, range(3), every=2):
        told = facts(state, seat, move)
        for n in range(2):
            if (fact := told.get(f"nearly {n}")) is None:
                continue
            now = after(state, seat, move).look()
            shown = kinds(now.mountain[n] + now.field[n][0] + now.field[n][1])
            sizes = [size(pile) for pile in now.field[n]]
            # the other seat would complete it, and loses the choice when fields are even
            first = seat if sizes[0] == sizes[1] else sizes.index(max(sizes))
            assert size(shown) == 5
            assert f"seat {first} would choose first" in fact.text
            seen += 1
    assert seen > 20


# stones


def test_stones_facts_tell_points_towers_and_objectives_as_the_rules_do() -> None:
    scored = built = met = 0
    for state, seat, move in moves_in("stones", 3, range(3), every=9):
        found = facts(state, seat, move)
        trial = after(state, seat, move)
        gained = trial.scores[seat] - state.scores[seat]
        before, now = state.look(), trial.look()
        if trial.over:
            continue
        if "scores" in found:
            gifts = found["gifts"].weight if "gifts" in found else 0
            assert found["scores"].weight + gifts == gained
            assert now.laid_n > before.laid_n
            scored += 1
        else:
            column = int(move[-1]) - 1
            stones = len(state.game.module.stones_in(now.tower[seat][column]))
            assert f"tower of {stones} " in found["tower"].text
            built += 1
        is_met = state.game.module.is_met
        for card in before.objective[seat]:
            was, is_now = (is_met(s, seat, card - 1) for s in (before, now))
            fact = found.get(f"objective {card}")
            assert (fact is not None) == (was != is_now)
            if fact is not None:
                assert ("meets" in fact.text) == is_now
                met += 1
    assert min(scored, built, met) > 10


# pyramids


def test_pyramids_facts_tell_who_scores_and_what_lies_ahead() -> None:
    scoring = 0
    for state, seat, move in moves_in("pyramids", 3, range(3), every=4):
        found = facts(state, seat, move)
        trial = after(state, seat, move)
        gains = [b - a for a, b in zip(state.scores, trial.scores, strict=True)]
        if any(gains):
            told = found["scores"].text
            scoring += 1
            for other, gain in enumerate(gains):
                assert (f"for seat {other}" in told) == bool(gain)
        else:
            assert found.get("scores") is None or "in the eye" in found["scores"].text
        assert ("ends" in found) == trial.over
        if not trial.over:
            s = trial.look()
            ahead = sum(1 for here in s.path[s.pawn[seat] :] if here)
            assert found["ahead"].text.split()[1] == str(ahead)
    assert scoring > 10


# dice


def test_dice_facts_tell_the_value_of_cards_and_the_masteries() -> None:
    taken = mastered = 0
    for state, seat, move in moves_in("dice", 3, range(3), every=5):
        found = facts(state, seat, move)
        if move.startswith("take"):
            trial = after(state, seat, move)
            card = (trial.look().hand[seat] & ~state.look().hand[seat]).bit_length() - 1
            assert found["takes"].weight == state.look().value[card]
            # a score while the game runs counts hands and masteries
            gained = trial.scores[seat] - state.scores[seat]
            own = found["takes"].weight + (found["pays"].weight if "pays" in found else 0)
            won = [f for key, f in found.items() if key.startswith("master") and "most" in f.text]
            assert (gained != own) == bool(won)
            taken += 1
            mastered += bool(won)
        if move.startswith("keep"):
            card = int(move.split()[1])
            assert found["keeps"].weight == state.look().value[card]
    assert taken > 10
    assert mastered > 0


# choosing among facts


def test_the_reason_names_what_the_other_moves_lack() -> None:
    for state, seat, move in moves_in("sand", 2, range(3), every=1):
        found = facts(state, seat, move)
        if "completes" not in found or found["completes"].weight < 4:
            continue
        others = [m for m in state.legal(seat) if "completes" not in facts(state, seat, m)]
        if not others:
            continue
        candidates = [Candidate(move, 0.8, 5.0), *(Candidate(m, 0.5, 0.0) for m in others)]
        why = reasons(state.view(seat), candidates, move)
        assert found["completes"].text in why
        assert 1 <= len(why) <= 3
        back = compare(state.view(seat), move, others[0])
        assert found["completes"].text in back
        return
    raise AssertionError("no such position")


def test_what_speaks_against_the_other_move_is_said_with_its_name() -> None:
    for state, seat, move in moves_in("sand", 2, range(3), every=1):
        found = facts(state, seat, move)
        if "completes" not in found or found["completes"].weight > -4:
            continue
        calm = [m for m in state.legal(seat) if m[0] == "d"]
        if not calm:
            continue
        why = reasons(
            state.view(seat), (Candidate(calm[0], 0.6, 1.0), Candidate(move, 0.2, -5.0)), calm[0]
        )
        assert any(text.startswith(f"{move} completes mandala") for text in why)
        return
    raise AssertionError("no such position")


def test_a_move_without_others_to_compare_is_still_explained() -> None:
    for name, found in GAMES.items():
        state = deal(name, found.seats[0], 5)
        seat = state.waiting[0]
        move = state.legal(seat)[0]
        assert reasons(state.view(seat), (), move)


def test_a_throw_with_numbers_of_its_own_is_explained_by_what_it_is_meant_for() -> None:
    state = deal("dice", 2, 1, {"outcomes": "surrogate"})
    while state.view(state.waiting[0]).describe()["phase"] != "strokes":
        state.play(state.legal(state.waiting[0])[0], state.waiting[0])
    seat = state.waiting[0]
    view = state.view(seat)
    aims = [move for move in view.legal() if move.startswith("throw")]
    for listed in aims[::7]:
        *icon, last = listed.split()
        own = " ".join([*icon, str(int(last) + 1)])
        assert own not in aims
        assert reasons(view, (), own) == reasons(view, (), listed)


def test_a_better_move_is_explained_even_if_little_speaks_for_it() -> None:
    view = position(
        "dice seats=2 viewer=1 by_surrogate=1 round=2 phase=2 prepared=RDF/RDF/-/- "
        "used=RDF/RDF/-/- grid=11,42,33,24,10/14,23,41,9,17/20,21,37,28,7/19,-,3,35,6/22,-,18,30,12 "
        "hand=2,36,38,39/1,16,26,40/-/- "
        "face=0.1,942,711,3087,2;0.2,3102,3628,3133,1;0.3,2225,3879,3092,3"
    )
    assert isinstance(view, View)
    assert compare(view, "done", "take c5 3") == (
        "leaves cards it could take, the best of them a gain of 3",
    )


def test_reasons_are_said_in_the_language_at_hand() -> None:
    state = deal("pyramids", 2, 1)
    with speaking("en"):
        english = reasons(state.view(0), (), "1")
    assert all(isinstance(text, str) for text in english)
    assert any("ahead of its pawn" in text or "lead" in text for text in english)
