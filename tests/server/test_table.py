"""Tables through the socket: what people and programs can do there, and what comes of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from mandalier.games.game import GAMES
from mandalier.games.record import replay
from mandalier.server.fairness import SheetChecker, seal_of
from mandalier.server.protocol import ClockRule, TableConfig
from mandalier.server.sitting import SERVER, Deal, Flag, Refusal, Sitting
from mandalier.server.store import Event
from tests.server.harness import Server, run, running


def on_server(tmp_path: Path, test: Any, **more: Any) -> None:
    """Run a test that is given a server."""

    async def work() -> None:
        async with running(tmp_path / "tables.db", **more) as server:
            await test(server)

    run(work())


@pytest.mark.parametrize("name", GAMES)
def test_programs_play_a_whole_game_and_its_record_replays(tmp_path: Path, name: str) -> None:
    async def test(server: Server) -> None:
        seats = GAMES[name].seats[-1]
        async with server.seated(seats, name) as clients:
            await asyncio.gather(*(c.play_to_the_end(i) for i, c in enumerate(clients)))
            table = clients[0].table
            record = await server.get(f"/tables/{table}/record")
            outcome = (await server.get(f"/tables/{table}/result"))["outcome"]
            assert record["result"] == outcome
            assert replay(record).over
            for client in clients:
                assert [line["text"] for line in client.log] == [
                    entry.partition(" ")[2] for entry in record["moves"]
                ]

    on_server(tmp_path, test)


def test_an_illegal_move_is_refused_with_the_rule_and_the_position(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            answer = await one.ask("move", at=one.at, move="cr")
            assert answer["code"] == "illegal"
            assert "mandala" in answer["reason"] or "claim" in answer["reason"]
            assert answer["position"]["at"] == one.at
            assert answer["position"]["view"] == one.position["view"]
            assert await two.refused("move", at=two.at, move="m1r") == "not_your_turn"
            assert await two.refused("move", at=two.at, move="m1r", seat=0) == "not_your_seat"
            assert await two.refused("move", at=two.at, move="m1r", seat=4) == "no_such_seat"

    on_server(tmp_path, test)


def test_a_message_sent_again_counts_once_and_gets_the_first_answer(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            at, move = one.at, one.legal[0]
            first = await one.ask("move", id="same", at=at, move=move)
            again = await one.ask("move", id="same", at=at, move=move)
            assert first["type"] == again["type"] == "done"
            assert first["seq"] == again["seq"]
            # another client's message may have the same id
            await two.until(lambda c: c.my_turn)
            other = await two.ask("move", id="same", at=two.at, move=two.legal[0])
            assert other["seq"] > first["seq"]
            await one.until_at(other["seq"])
            assert len(one.log) >= 2

    on_server(tmp_path, test)


def test_a_move_for_a_position_that_has_changed_is_stale(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            old = one.at
            await one.move()
            await two.until(lambda c: c.my_turn)
            await two.move()
            await one.until(lambda c: c.my_turn)
            assert await one.refused("move", at=old, move=one.legal[0]) == "stale"

    on_server(tmp_path, test)


def test_choices_all_make_at_the_same_time_do_not_disturb_each_other(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "dice") as (one, two):
            assert one.position["waiting"] == [0, 1]
            old = two.at
            await one.done("move", at=one.at, move="ready LR")
            await two.until_at(old + 1)
            assert two.log[0] == {"who": 0, "text": None, "words": ""}
            assert two.position["waiting"] == [1]
            await one.until_at(old + 1)
            assert one.log[0]["text"] == "ready LR"
            # seat 1 had not seen it, and its choice counts
            await two.done("move", at=old, move="ready BF")
            await two.until_at(old + 2)
            assert [line["text"] for line in two.log] == ["ready LR", "ready BF"]

    on_server(tmp_path, test)


def test_a_choice_still_hidden_can_be_taken_back_alone(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(3, "dice") as (one, two, three):
            await one.move("ready LR")
            await two.until_at(one.at)
            await two.move("ready BF")
            await one.until_at(two.at)
            await one.done("undo", at=one.at)
            await one.until(lambda c: c.my_turn)
            assert [line["who"] for line in one.log] == [1]
            await one.move("ready LD")
            await three.until_at(one.at)
            await three.move("ready LR")
            await one.until_at(three.at)
            assert {line["text"] for line in one.log} == {"ready BF", "ready LD", "ready LR"}

    on_server(tmp_path, test)


def test_a_move_is_taken_back_if_the_others_agree(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            view = one.view
            await one.move("m1" + one.legal[0][2])
            await one.done("undo", at=one.at)
            await two.until(lambda c: c.position["info"]["offers"])
            assert two.position["info"]["offers"] == [{"what": "undo", "seat": 0, "agreed": [0]}]
            assert await one.refused("agree", what="undo") == "nothing_asked"
            await two.done("agree", what="undo", yes=False)
            await one.until(lambda c: not c.position["info"]["offers"])
            assert len(one.log) == 1
            await one.done("undo", at=one.at)
            await two.until(lambda c: c.position["info"]["offers"])
            await two.done("agree", what="undo")
            await one.until(lambda c: not c.log)
            assert one.view == view

    on_server(tmp_path, test)


def test_a_take_that_showed_nothing_is_taken_back_at_once(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "dice") as clients:
            for _ in range(400):
                turn = [c for c in clients if c.my_turn]
                takes = [m for c in turn for m in c.legal if m.startswith("take")]
                mover = turn[0]
                if takes:
                    break
                throws = [m for m in mover.legal if m.startswith("throw D")] or mover.legal
                done = await mover.move(throws[0] if "leave" not in throws else "leave")
                for client in clients:
                    await client.until_at(done["seq"])
            else:
                pytest.fail("nobody could take a card")
            before, log = mover.view, list(mover.log)
            await mover.move(takes[0])
            assert mover.my_turn
            await mover.done("undo", at=mover.at)
            await mover.until(lambda c: c.log == log)
            assert mover.view == before

    on_server(tmp_path, test)


def test_a_throw_is_not_taken_back_where_undo_is_off(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "sand", undo=False) as (one, _):
            await one.move()
            assert await one.refused("undo", at=one.at) == "no_undo"

    on_server(tmp_path, test)


def test_resigning_ends_a_game_of_two(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            await one.done("resign")
            await two.until(lambda c: c.status == "over")
            outcome = two.position["info"]["outcome"]
            assert outcome["reason"] == "resigned"
            assert outcome["winners"] == [1]
            record = await server.get(f"/tables/{one.table}/record")
            assert "result" not in record
            assert not replay(record).over  # it stays a record of what was played
            assert await two.refused("move", at=two.at, move="m1r") == "not_now"

    on_server(tmp_path, test)


def test_a_bot_plays_on_for_one_of_three_who_resigns(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(3, "pyramids", bot_pace=False) as (one, two, three):
            await one.done("resign")
            await asyncio.gather(two.play_to_the_end(), three.play_to_the_end(1))
            assert two.position["info"]["seats"][0]["out"]
            assert two.position["info"]["outcome"]["reason"] == "end"

    on_server(tmp_path, test)


def test_a_bot_stands_in_until_its_person_comes_back(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "stones", bot_pace=False) as (one, two):
            await one.done("leave", bot="random")
            await two.until(lambda c: c.position["info"]["seats"][0]["away"] and c.my_turn)
            assert one.log or two.log  # the bot has moved
            assert await one.refused("move", at=one.at, move=two.legal[0]) in (
                "not_your_seat",
                "stale",
            )
            await one.done("return")
            await two.move()
            await one.until(lambda c: c.my_turn and len(c.log) >= 2)
            await one.move()

    on_server(tmp_path, test)


def test_the_game_waits_when_all_people_have_left(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "stones", bot_pace=False) as (one, two):
            await one.done("leave")
            await two.done("leave")
            sitting = server.hall.tables[one.table].sitting
            moves = len(sitting.moves)
            assert moves <= 1
            await asyncio.sleep(0.3)
            assert len(sitting.moves) == moves
            await two.done("return")
            await two.until(lambda c: c.my_turn)

    on_server(tmp_path, test)


def test_bots_fill_empty_seats_and_play(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        key = await server.key()
        table = await server.table(key, "pyramids", seats=4, bot_pace=False)
        async with server.client(key) as me:
            me.table = table
            await me.done("watch")
            await me.done("sit", seat=1)
            assert await me.refused("start") == "not_now"
            assert await me.refused("start", fill_with="nobody") == "no_such_bot"
            await me.done("addbot", bot="greedy", seat=3)
            await me.done("start", fill_with="eager")
            await me.play_to_the_end()
            names = [seat["name"] for seat in me.position["info"]["seats"]]
            assert names == ["eager", "Ada", "eager", "greedy"]
            assert me.position["info"]["outcome"]["reason"] == "end"

    on_server(tmp_path, test)


def test_a_game_goes_on_when_a_worker_for_bots_is_killed(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        key = await server.key()
        table = await server.table(key, "stones", bot_pace=False)
        async with server.client(key) as me:
            me.table = table
            await me.done("watch")
            await me.done("sit", seat=0)
            await me.done("start", fill_with="random")
            thinkers = server.hall.thinkers
            for _ in range(3):
                await me.until(lambda c: c.my_turn)
                await me.move()
                for process in list(thinkers._running.values()):
                    process.kill()
            await me.until(lambda c: c.my_turn)
            assert thinkers.crashes > 0

    on_server(tmp_path, test)


def test_hot_seat_looks_from_the_seat_that_is_to_move(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        key = await server.key()
        table = await server.table(key, "sand")
        async with server.client(key) as me:
            me.table = table
            await me.done("watch")
            await me.done("sit", seat=0)
            await me.done("sit", seat=1)
            await me.until(lambda c: c.status == "playing")
            assert me.position["mine"] == [0, 1]
            for seat in (0, 1, 0):
                await me.until(lambda c, seat=seat: c.position["seat"] == seat)  # type: ignore[misc]
                assert me.view["viewer"] == seat
                await me.move(next(m for m in me.legal if m.startswith(("m", "d"))))
            await me.done("watch", seat=0)
            await me.until(lambda c: c.position["seat"] == 0)
            await me.done("watch", seat=-1)
            await me.until(lambda c: c.position["seat"] is None)
            assert me.view["viewer"] is None

    on_server(tmp_path, test)


def test_seats_are_taken_once_and_cleared_by_the_host(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        keys = [await server.key(name) for name in ("Ada", "Bob", "Eve")]
        table = await server.table(keys[0], "stones", seats=3)
        async with (
            server.client(keys[0]) as ada,
            server.client(keys[1]) as bob,
            server.client(keys[2]) as eve,
        ):
            for client in (ada, bob, eve):
                client.table = table
                await client.done("watch")
            await ada.done("sit", seat=0)
            assert await bob.refused("sit", seat=0) == "seat_taken"
            await bob.done("sit")
            await eve.done("sit")
            await eve.until(lambda c: c.status == "gathering" and len(c.position["mine"]) == 1)
            assert await bob.refused("rise", seat=0) == "not_the_host"
            assert await bob.refused("close") == "not_the_host"
            await ada.done("rise", seat=eve.position["mine"][0])
            await eve.until(lambda c: c.position["mine"] == [])
            await bob.done("leave")
            await ada.until(
                lambda c: [s["kind"] for s in c.position["info"]["seats"]].count("open") == 2
            )

    on_server(tmp_path, test)


def test_the_host_closes_a_table(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            await one.done("close")
            await two.until(lambda c: c.status == "closed")
            assert two.position["info"]["outcome"]["winners"] == []

    on_server(tmp_path, test)


def test_pause_stops_the_clocks_if_all_agree(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        clock = {"kind": "game", "seconds": 60}
        async with server.seated(2, "sand", clock=clock) as (one, two):
            assert one.position["clocks"]["running"] == [0]
            await one.done("pause")
            await two.done("agree", what="pause")
            await one.until(lambda c: c.status == "paused")
            assert one.position["clocks"]["running"] == []
            assert await one.refused("move", at=one.at, move=one.legal[0]) == "not_now"
            await two.done("resume")
            await one.done("agree", what="resume")
            await one.until(lambda c: c.status == "playing")
            assert one.position["clocks"]["running"] == [0]
            await one.move()

    on_server(tmp_path, test)


def test_who_runs_out_of_time_loses_a_game_of_two(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        clock = {"kind": "game", "seconds": 1}
        async with server.seated(2, "sand", clock=clock) as (one, two):
            await two.until(lambda c: c.status == "over")
            outcome = two.position["info"]["outcome"]
            assert (outcome["reason"], outcome["winners"]) == ("time", [1])
            assert one.position["clocks"]["left"][0] == 0

    on_server(tmp_path, test)


def test_a_bot_takes_over_whose_turn_takes_too_long_and_hands_back(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        clock = {"kind": "move", "seconds": 2}
        async with server.seated(2, "stones", clock=clock, bot_pace=False) as (one, two):
            await one.until(lambda c: c.position["info"]["seats"][0]["away"])
            assert await one.refused("move", at=one.at, move="x") == "not_your_seat"
            await two.until(lambda c: len(c.log) > 0)  # the bot has moved, and without a clock
            assert 0 not in two.position["clocks"]["running"]
            await one.done("return")
            await one.until(lambda c: not c.position["info"]["seats"][0]["away"])
            assert one.status == "playing"
            # two does not move either: each hands over, and the game goes on until nobody is left
            await two.until(lambda c: all(seat["away"] for seat in c.position["info"]["seats"]))
            seq = two.position["seq"]
            await asyncio.sleep(3)
            assert two.position["seq"] == seq  # it waits; no clock runs
            await two.done("return")
            await two.until(lambda c: not c.position["info"]["seats"][1]["away"])

    on_server(tmp_path, test)


def test_a_game_by_days_goes_on_after_a_restart_with_its_bot(tmp_path: Path) -> None:
    config = TableConfig("pyramids", seats=2, clock=ClockRule(kind="days", days=2))

    def new() -> Sitting:
        return Sitting("t", config, "ada", 0, bytes(32))

    live, events = new(), []

    def happens(what: str, at: int, seat: int | None = None, /, **data: Any) -> None:
        event = Event("t", live.seq + 1, what, at, seat, data=data)
        events.append(event)
        live.apply(event)

    for seat, name in enumerate(("ada", "ben")):
        happens("sit", 0, seat, kind="person", person=name, name=name)
    happens("start", 0, fill={})
    dealt = live.decide(Deal(), SERVER, 0)
    happens("deal", 0, **dealt.data)
    seat = live.waiting[0]
    day = 86_400_000
    with pytest.raises(Refusal, match="not up"):
        live.decide(Flag(seat), SERVER, day)
    draft = live.decide(Flag(seat), SERVER, 2 * day + 1000)
    happens(draft.kind, 2 * day + 1000, draft.seat, **draft.data)
    assert live.places[seat].by_bot == "eager"
    assert live.clock.deadline is None
    happens("return", 3 * day, seat)
    assert live.clock.left_at(4 * day)[seat] == day
    again = new()
    for event in events:
        again.apply(event)
    assert again.clock.left_at(4 * day) == live.clock.left_at(4 * day)
    assert again.info == live.info


def test_an_increment_is_added_after_each_move(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        clock = {"kind": "game", "seconds": 100, "increment": 50}
        async with server.seated(2, "sand", clock=clock) as (one, _):
            await one.move()
            left = one.position["clocks"]["left"]
            assert 140_000 < left[0] <= 150_000
            assert left[1] <= 100_000

    on_server(tmp_path, test)


def test_rematch_seats_the_same_people_one_seat_further(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            assert await one.refused("rematch") == "not_now"
            await one.done("resign")
            made = (await two.done("rematch"))["data"]["table"]
            await one.until(lambda c: c.position["info"]["rematch"] == made)
            assert (await one.done("rematch"))["data"]["table"] == made
            one.table = two.table = made
            one.log, two.log = [], []
            await one.done("watch")
            await two.done("watch")
            await one.until(lambda c: c.position["table"] == made and c.status == "playing")
            await two.until(lambda c: c.position["table"] == made and c.status == "playing")
            assert (one.position["seat"], two.position["seat"]) == (1, 0)

    on_server(tmp_path, test)


def test_chat_reaches_the_table_until_the_host_closes_it(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            await one.done("chat", text="hello\nthere")
            await two.until(lambda c: any(m["type"] == "said" for m in c.heard))
            said = next(m for m in two.heard if m["type"] == "said")
            assert (said["text"], said["name"], said["seat"]) == ("hello there", "Player 0", 0)
            assert await two.refused("setchat", on=False) == "not_the_host"
            await one.done("setchat", on=False)
            assert await two.refused("chat", text="hm") == "no_chat"
            async with server.client(await server.key("Eve")) as eve:
                eve.table = one.table
                await eve.done("watch")
                await eve.until(lambda c: any(m["type"] == "said" for m in c.heard))
                await one.done("setchat", on=True)
                assert await eve.refused("chat", text="psst") == "not_your_seat"

    on_server(tmp_path, test)


def test_spectators_see_no_hand_and_with_a_delay_nothing_new(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with (
            server.seated(2, "sand", spectator_delay_s=2) as (one, two),
            server.client(await server.key("Eve")) as eve,
        ):
            eve.table = one.table
            await eve.done("watch")
            await one.move()
            await two.until(lambda c: len(c.log) == 1)
            assert not eve.log
            await eve.until(lambda c: len(c.log) == 1)
            assert eve.position["seat"] is None
            assert [seat["hand"] for seat in eve.view["seats"]] == [None, None]
            assert eve.legal == []

    on_server(tmp_path, test)


def test_a_table_without_spectators_shows_itself_to_its_players_only(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "sand", spectators=False) as (one, _):
            async with server.client(await server.key("Eve")) as eve:
                eve.table = one.table
                assert await eve.refused("watch") == "no_such_table"
            answer = await server.http.get(f"/api/v1/tables/{one.table}/position")
            assert answer.status_code == 404

    on_server(tmp_path, test)


def test_a_premove_is_played_when_its_turn_comes(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "pyramids") as (one, two):
            await two.done("premove", move="30")
            await two.until(lambda c: True)
            await one.move("20")
            await one.until(lambda c: len(c.log) >= 2)
            assert one.log[1] == {"who": 1, "text": "30", "words": ""} or one.log[1]["who"] == 0

    on_server(tmp_path, test)


def test_a_client_that_comes_back_gets_only_what_is_new(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            await one.move(next(m for m in one.legal if m[0] in "md"))
            known = one.at
            await two.until_at(known)
            await two.move(next(m for m in two.legal if m[0] in "md"))
            async with server.client(one.key) as again:
                again.table, again.log = one.table, list(one.log[:1])
                await again.done("watch", since=known)
                await again.until(lambda c: c.position)
                assert again.position["log_from"] == 1
                assert [line["who"] for line in again.log] == [0, 1]

    on_server(tmp_path, test)


def test_words_come_sealed_and_the_sheet_is_shown_at_the_end(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        keys = [await server.key("Ada"), await server.key("Bob")]
        table = await server.table(keys[0], "sand")
        async with server.client(keys[0]) as ada, server.client(keys[1]) as bob:
            for seat, client in enumerate((ada, bob)):
                client.table = table
                await client.done("watch")
                await client.done("sit", seat=seat)
            await ada.done("seal", seal=seal_of("blue moon"))
            assert await ada.refused("word", word="blue moon") == "fairness"
            await bob.done("word", word="seven")
            await ada.until(lambda c: c.status == "sealing")
            assert await ada.refused("word", word="red moon") == "fairness"
            await ada.done("word", word="blue moon")
            await bob.until(lambda c: c.status == "playing")
            with pytest.raises(AssertionError, match="not_now"):
                await server.get(f"/tables/{table}/fair")
            await asyncio.gather(ada.play_to_the_end(), bob.play_to_the_end(1))
            sheet = await server.get(f"/tables/{table}/fair")
            assert sheet["words"] == ["blue moon", "seven"]
            SheetChecker().check(sheet)

    on_server(tmp_path, test)


def test_hints_and_explanations_are_given_to_who_is_to_move(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "stones") as (one, two):
            hint = (await one.done("hint", bot="greedy"))["data"]
            assert hint["move"] in one.legal
            says = (await one.done("explain", move=one.legal[0]))["data"]["says"]
            assert "artist" in says
            assert await two.refused("hint") == "not_your_turn"
            assert await one.refused("explain", move="tops 1") == "illegal"
            assert await one.refused("explain", move=7) == "bad_message"
            assert await one.refused("hint", bot="deep blue") == "no_such_bot"
            assert await one.refused("hint", bot="mcts:1000000") == "no_such_bot"
        async with server.seated(2, "stones", hints="legal") as (one, _):
            assert await one.refused("hint") == "no_hints"

    on_server(tmp_path, test)


def test_a_picture_comes_with_the_ids_to_click(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "sand", hello={"form": "picture"}) as (one, two):
            view = one.position["view"]
            assert view["form"] == "picture"
            assert view["svg"].startswith("<svg")
            assert view["words"]

            def ends(node: dict[str, Any]) -> list[str]:
                if isinstance(node.get("move"), str):
                    return [node["move"]]
                return [move for inner in node.values() for move in ends(inner)]

            moves = ends(view["paths"])
            assert moves
            done = await one.done("move", at=one.at, move=moves[0])
            await two.until_at(done["seq"])
            assert two.log[0]["words"]
            why = await two.done("why", clicks=["nowhere"])
            assert isinstance(why["data"]["why"], str)

    on_server(tmp_path, test)


def test_a_table_that_cannot_be_is_refused_with_the_reason(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        key = await server.key()
        for config, said in (
            ({"game": "chess"}, "there is no game"),
            ({"game": "sand", "seats": 3}, "sand is for 2 seats"),
            ({"game": "sand", "options": {"open hands": True}}, "option"),
            ({"game": "sand", "fill_with": "deep blue"}, "there is no bot"),
            ({"game": "sand", "clock": {"kind": "sundial"}}, "sundial"),
        ):
            answer = await server.http.post(
                "/api/v1/tables", json=config, headers={"authorization": f"Bearer {key}"}
            )
            assert answer.status_code == 400
            assert said in answer.json()["reason"]

    on_server(tmp_path, test)


def test_public_tables_are_listed_until_they_are_over(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "sand", visibility="public") as (one, _):
            secret = await server.table(one.key, "sand")
            await asyncio.sleep(0.6)
            listed = [t["id"] for t in (await server.get("/tables"))["tables"]]
            assert listed == [one.table]
            mine = [t["id"] for t in (await server.get("/me/tables", one.key))["tables"]]
            assert mine == [secret, one.table]
            await one.done("close")
            await asyncio.sleep(0.6)
            assert (await server.get("/tables"))["tables"] == []

    on_server(tmp_path, test)


def test_the_fallback_streams_positions_and_takes_messages_by_post(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated() as (one, two):
            headers = {"authorization": f"Bearer {one.key}"}
            url = f"/api/v1/tables/{one.table}/stream"
            async with server.http.stream("GET", url, headers=headers) as stream:
                lines = stream.aiter_lines()

                async def position() -> dict[str, Any]:
                    async for line in lines:
                        if line.startswith("data: "):
                            found: dict[str, Any] = json.loads(line[6:])
                            if found["type"] == "position":
                                return found
                    raise AssertionError("the stream has ended")

                first = await position()
                assert first["seat"] == 0
                move = {
                    "type": "move",
                    "id": "p1",
                    "table": one.table,
                    "at": first["at"],
                    "move": first["view"]["legal"][0],
                }
                posted = await server.http.post("/api/v1/messages", json=move, headers=headers)
                assert posted.json()["answer"]["type"] == "done"
                second = await position()
                assert second["at"] == posted.json()["answer"]["seq"]
                assert second["log_from"] == 0
                await two.until_at(second["at"])
                stale = {**move, "id": "p2"}
                answer = await server.http.post("/api/v1/messages", json=stale, headers=headers)
                assert answer.json()["answer"]["type"] == "refused"

    on_server(tmp_path, test)


def test_a_stream_that_comes_back_by_itself_brings_what_is_new(tmp_path: Path) -> None:
    async def test(server: Server) -> None:
        async with server.seated(2, "pyramids") as (one, two):

            async def first_of(headers: dict[str, str]) -> tuple[str, dict[str, Any]]:
                """The id and the data of the first event of a stream."""
                url = f"/api/v1/tables/{one.table}/stream"
                async with server.http.stream("GET", url, headers=headers) as stream:
                    known = ""
                    async for line in stream.aiter_lines():
                        if line.startswith("id: "):
                            known = line[4:]
                        elif line.startswith("data: "):
                            return known, json.loads(line[6:])
                raise AssertionError("the stream has ended")

            await one.move()
            known, position = await first_of({})
            assert (known, position["log_from"]) == (str(position["at"]), 0)
            await two.until_at(one.at)
            mover = one if one.my_turn else two
            await mover.move()
            _, position = await first_of({"last-event-id": known})
            assert position["log_from"] == 1
            assert len(position["log"]) == 1

    on_server(tmp_path, test)


def test_games_go_on_after_a_restart(tmp_path: Path) -> None:
    async def work() -> None:
        database = tmp_path / "tables.db"
        async with running(database) as server, server.seated(2, "sand") as (one, two):
            for _ in range(6):
                mover = one if one.my_turn else two
                done = await mover.move()
                await one.until_at(done["seq"])
                await two.until_at(done["seq"])
            table, keys, views = one.table, (one.key, two.key), (one.view, two.view)
            log, known = list(one.log), one.at
        async with running(database) as server:
            async with server.client(keys[0]) as one, server.client(keys[1]) as two:
                one.table = two.table = table
                await one.done("watch")
                await two.done("watch")
                await one.until(lambda c: c.position)
                await two.until(lambda c: c.position)
                assert (one.view, two.view, one.log, one.at) == (*views, log, known)
                await asyncio.gather(one.play_to_the_end(), two.play_to_the_end(1))
            sheet = await server.get(f"/tables/{table}/fair")
            SheetChecker().check(sheet)

    run(work())
