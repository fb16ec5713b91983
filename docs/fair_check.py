"""Was the deal fair? python fair_check.py SHEET: needs only Python's standard library.

It sees that the table kept to its secret and the seats to their seals, then shuffles again, with a
generator of its own: the setups of sand, stones, pyramids and dice, and sand's reshuffles. Throws of
dice, and that the moves were legal, is for `mandalier check --fair`.
"""

import hashlib
import hmac
import json
import sys

TAG = b"mandalier fair 1\n"


def need(right: bool, otherwise: str) -> None:
    if not right:
        raise ValueError(otherwise)


def sealed(sheet: dict) -> bytes:
    secret, words = bytes.fromhex(sheet["secret"]), sheet["words"]
    commitment = hashlib.sha256(TAG + b"commitment\n" + secret).hexdigest()
    need(commitment == sheet["commitment"], "the secret is not the one committed to")
    for seat, (word, seal) in enumerate(zip(words, sheet.get("seals", words), strict=True)):
        if "seals" in sheet and word is not None and seal is not None:
            found = hashlib.sha256(TAG + b"seal\n" + word.encode()).hexdigest()
            need(found == seal, f"the word of seat {seat} is not the one it sealed")
    lines = [f"{i} {'-' if w is None else w.encode().hex()}\n" for i, w in enumerate(words)]
    return hmac.digest(secret, TAG + b"words\n" + "".join(lines).encode(), "sha256")


def generator(key: bytes, what: str):
    """sfc32, started from 63 bits: yields a function that gives numbers below n."""
    seed = int.from_bytes(hmac.digest(key, TAG + what.encode() + b"\n", "sha256")[:8], "big") >> 1
    a, b, c, d = seed & 0xFFFFFFFF, seed >> 32, 0, 1

    def below(n: int) -> int:
        nonlocal a, b, c, d
        t = (a + b + d) % 2**32
        a, b, c, d = b ^ b >> 9, c * 9 % 2**32, ((c << 21 | c >> 11) + t) % 2**32, (d + 1) % 2**32
        return t * n >> 32

    for _ in range(12):
        below(1)

    def shuffled(cards):
        cards = list(cards)
        for i in range(len(cards) - 1, 0, -1):
            j = below(i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        return cards

    return shuffled


def setup(game: str, seats: int, found: dict, shuffled) -> dict:
    if game == "sand":
        return {"deck": "".join(shuffled("".join(c * 18 for c in "roygpk"))[::-1])}
    if game == "pyramids":
        return {"path": shuffled(f"{c}{n}" for c in "rybgk" for n in "123" for _ in range(5))}
    if game == "dice":
        cards, rows = shuffled(range(1, 37)), found["grid"]
        return {"grid": [cards[i * len(r) : (i + 1) * len(r)] for i, r in enumerate(rows)]}
    stones = shuffled("".join(s * 12 for s in "rRbByYpP"))
    artists = shuffled(["ring", "ring", "star", "star"])
    names = "ring-only star-only two-red two-blue two-yellow two-purple two-columns five-columns"
    cards = shuffled([*names.split(), "three-stones", "six-stones"])
    return {
        "stacks": ["".join(stones[i : i + 4]) for i in range(0, 96, 4)],
        "artists": dict(zip(("b1", "a2", "c2", "b3"), artists, strict=True)),
        "objectives": [cards[2 * i : 2 * i + 2] for i in range(seats)],
    }


def check(sheet: dict) -> None:
    key, record, k = sealed(sheet), sheet["record"], 0
    due = setup(record["game"], record["seats"], record["setup"], generator(key, "deal"))
    need(due == record["setup"], f"setup: secret and words give {due}")
    for ply, entry in enumerate(record["moves"]):
        if entry.startswith("* "):
            k += 1
        if entry.startswith("* shuffle "):
            deck = generator(key, f"chance {k}")(sorted(entry[10:], key="roygpk".index))[::-1]
            need(entry[10:] == "".join(deck), f"ply {ply}: they give shuffle {''.join(deck)}")


if __name__ == "__main__":
    for number, line in enumerate(open(sys.argv[1], encoding="utf-8"), 1):
        try:
            check(json.loads(line))
            print(f"line {number}: fair")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            sys.exit(f"line {number}: {error!r}")
