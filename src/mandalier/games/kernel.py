"""The kernel: rules are written once and run at C speed or as plain Python.

A *rule* is a small module-level function over one record, marked ``@rule`` and otherwise left
alone: called from Python it is that very function, which is what a debugger and a coverage tool
want. `bind` makes the other forms of it:

- the *compiled* form, for records of numpy arrays, translated by numba and kept on disk;
- the *interpreted* form, for the twin of such arrays: nested lists in plain objects.

Both give the same games, byte for byte. A *slot* is a rule without a body that names what a game
module provides (see contract.py); binding a rule to a module fills the slots, so one driver serves
every game without functions being passed around, which numba could not keep on disk.

How to write a rule: index ``s.hand[p][c]``, never ``s.hand[p, c]``; no closures, no keyword
arguments, no numpy functions; no value may exceed the type of its field, because the twin does
not wrap around.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numpy as np

Record = Any
"""One state: a row of a structured array in compiled code, a `Twin` in interpreted code."""
Array = Any
"""An array of numbers, or of records: numpy in compiled code, lists in interpreted code."""
Fn = TypeVar("Fn", bound=Callable[..., Any])

FLAGS: dict[str, Any] = {"boundscheck": True, "nogil": True}
"""Numba's options for rules. Never ``fastmath``: it could change a game."""


def rule(fn: Fn) -> Fn:
    """Mark a function as a rule. It stays the plain function it is."""
    fn.__dict__["is_rule"] = True
    return fn


def flags(**flags: Any) -> Callable[[Fn], Fn]:
    """Give a rule numba flags of its own, besides FLAGS."""

    def mark(fn: Fn) -> Fn:
        fn.__dict__["flags"] = flags
        return fn

    return mark


def primitive(compiled: Callable[..., Any], **flags: Any) -> Callable[[Fn], Fn]:
    """Mark a rule of the kernel whose compiled form is another function with the same effect."""

    def mark(fn: Fn) -> Fn:
        fn.__dict__["compiled_body"] = compiled
        fn.__dict__["flags"] = flags
        return rule(fn)

    return mark


def slot(fn: Fn) -> Fn:
    """Mark a rule that each game module provides under the same name."""
    fn.__dict__["is_slot"] = True
    return rule(fn)


def optional_slot(fn: Fn) -> Fn:
    """Mark a slot that a game may leave empty: the rule's own body stands in for it."""
    fn.__dict__["is_optional"] = True
    return slot(fn)


# The generator in the state --------------------------------------------------------------------
# sfc32 (Chris Doty-Humphrey): four words of 32 bits, kept as 64-bit integers so that the same
# arithmetic means the same in compiled code and in Python. `g` is any record with `rng` i8[4].

WORD = 0xFFFFFFFF


@rule
def next_word(g: Record) -> int:
    """The generator's next 32 random bits."""
    r = g.rng
    a = r[0]
    b = r[1]
    c = r[2]
    d = r[3]
    word = (a + b + d) & WORD
    r[0] = b ^ (b >> 9)
    r[1] = (c + (c << 3)) & WORD
    r[2] = ((((c << 21) & WORD) | (c >> 11)) + word) & WORD
    r[3] = (d + 1) & WORD
    return int(word)


@rule
def seed_generator(g: Record, seed: int, stream: int) -> None:
    """Start the generator; each pair of seed and stream (both ≥ 0) gives numbers of its own."""
    g.rng[0] = seed & WORD
    g.rng[1] = (seed >> 32) & WORD
    g.rng[2] = stream & WORD
    g.rng[3] = (1 + (stream >> 32)) & WORD
    for _ in range(12):
        next_word(g)


@rule
def below(g: Record, n: int) -> int:
    """A random number from 0 to n − 1 (off from even by less than n / 2³²)."""
    return (next_word(g) * n) >> 32


@rule
def shuffle(g: Record, cards: Array, n: int) -> None:
    """Put the first n cards in random order."""
    for i in range(n - 1, 0, -1):
        j = below(g, i + 1)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card


@rule
def game_seed(g: Record, seed: int, k: int) -> int:
    """The seed of game k of a run: it depends on the run's seed and on k alone."""
    seed_generator(g, seed, k)
    high = next_word(g)
    return (high << 30) | (next_word(g) >> 2)


HASH = (1 << 62) - 1


@rule
def mix(h: int, number: int) -> int:
    """Stir a number into a hash of 62 bits."""
    h = ((h ^ number) * 0x1B873593CC9E2D51) & HASH
    return h ^ (h >> 29)


GENERATOR = np.dtype([("rng", "i8", (4,)), ("alone", "i8")])
"""A generator apart from a state. (The second field keeps numba from taking states for a kind of
this record.)"""


# Piles -----------------------------------------------------------------------------------------
# A pile holds up to six counts (each 0 to 127) in the bytes of one number, so that questions of
# all six are single steps of arithmetic, without a branch: six cards' colours can hardly be
# foretold, and each wrong guess of a processor costs more than a whole question.

ONES = 0x010101010101


@rule
def kinds(pile: int) -> int:
    """1 for each count that is not 0: itself a pile."""
    return ((pile + 127 * ONES) >> 7) & ONES


@rule
def size(pile: int) -> int:
    """The sum of the counts (up to 255)."""
    return ((pile * ONES) >> 40) & 255


@rule
def count_of(pile: int, i: int) -> int:
    """Count i."""
    return (pile >> 8 * i) & 255


RUN = 8  # the longest run of moves
SCRIBBLE = 6 * 256  # room after the last move of a list that `list_runs` may write to


def _list_runs(out: Array, n: int, first: int, step: int, counts: int) -> int:
    # every run is written whole and cut to its length by the next one
    if n < 0 or n + SCRIBBLE > len(out):
        raise IndexError("the list of moves is too short")
    for _ in range(6):
        at = np.uint64(n)  # an index without a sign needs no test for counting from the end
        for k in range(RUN):
            out[at + np.uint64(k)] = first + k
        n += counts & 255
        first += step
        counts >>= 8
    return n


@primitive(_list_runs, boundscheck=False, inline="always")
def list_runs(out: Array, n: int, first: int, step: int, counts: int) -> int:
    """List six runs of moves after the first n; return the new n.

    Run i has as many moves as count i of a pile (8 at most), numbered from first + i × step.
    Beyond the last one it may scribble.
    """
    while counts:
        count = counts & 255
        if count:
            out[n : n + count] = range(first, first + count)
            n += count
        first += step
        counts >>= 8
    return n


def _list_bits(out: Array, n: int, first: int, mask: int) -> int:
    # run by run: each is written in steps of 16 and cut to its length by the next one
    if n < 0 or n + SCRIBBLE > len(out):
        raise IndexError("the list of moves is too short")
    while mask != 0:
        low = mask & -mask
        beyond = mask + low  # carries through the lowest run
        start = bits_in(low - 1)
        length = bits_in((beyond & -beyond) - 1) - start
        at = np.uint64(n)
        for k in range((length + 15) >> 4 << 4):
            out[at + np.uint64(k)] = first + start + k
        n += length
        mask &= beyond
    return n


@primitive(_list_bits, boundscheck=False)
def list_bits(out: Array, n: int, first: int, mask: int) -> int:
    """List first + i for each bit i that is set in a mask (below 2**62), after the first n moves;
    return the new n. Quick where the bits stand in few runs. Beyond the last it may scribble."""
    moves = [first + i for i in range(mask.bit_length()) if mask >> i & 1]
    out[n : n + len(moves)] = moves
    return n + len(moves)


@rule
def bits_in(mask: int) -> int:
    """How many bits of a mask are set. (Compilers know this idiom for a single instruction.)"""
    mask -= (mask >> 1) & 0x5555555555555555
    mask = (mask & 0x3333333333333333) + ((mask >> 2) & 0x3333333333333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((mask * 0x0101010101010101) >> 56) & 255


# Records and their twins -----------------------------------------------------------------------


class Twin:
    """A record as a plain object: numbers, and lists of lists of numbers."""

    __slots__ = ()
    dtype: np.dtype[Any]
    DEPTHS: tuple[tuple[str, int], ...]
    """Each field, and how deep its lists go: 0 for a number."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and to_bytes(self) == to_bytes(other)

    __hash__ = None  # type: ignore[assignment]  # a record changes as it is played on


_twin_types: dict[np.dtype[Any], type[Twin]] = {}


def twin_type(dtype: np.dtype[Any]) -> type[Twin]:
    """The twin class of a record type: one slot a field."""
    if dtype not in _twin_types:
        names = cast(tuple[str, ...], dtype.names)
        depths = tuple((name, len(dtype[name].shape)) for name in names)
        made = {"__slots__": names, "dtype": dtype, "DEPTHS": depths}
        _twin_types[dtype] = type("Twin", (Twin,), made)
    return _twin_types[dtype]


def to_twin(record: Any) -> Twin:
    """A copy of one row of a structured array, as a twin."""
    made = twin_type(record.dtype)()
    for (name, depth), value in zip(made.DEPTHS, record.item(), strict=True):
        setattr(made, name, value.tolist() if depth else value)
    return made


def twin_copy(s: Twin) -> Twin:
    """A twin like this one, to be changed apart from it."""
    kind = type(s)
    made = kind()
    for name, depth in kind.DEPTHS:
        value = getattr(s, name)
        if depth == 1:
            value = value[:]
        elif depth == 2:
            value = [row[:] for row in value]
        elif depth:
            value = deepcopy(value)
        setattr(made, name, value)
    return made


def to_row(s: Twin, row: Any) -> None:
    """Write a twin into a row of a structured array; a value too large for its field is an error."""
    for name in cast(tuple[str, ...], s.dtype.names):
        row[name] = getattr(s, name)


def write_changes(before: Twin, s: Twin, row: Any) -> None:
    """Write what of a twin is not as before into the row, or the twin, of the state before."""
    compiled = not isinstance(row, Twin)
    for name in cast(tuple[str, ...], s.dtype.names):
        value = getattr(s, name)
        if value != getattr(before, name):
            if compiled:
                row[name] = value
            else:
                setattr(row, name, value)


def to_bytes(s: Twin) -> bytes:
    """The record's bytes: equal states, equal bytes."""
    states = np.zeros(1, s.dtype)
    to_row(s, states[0])
    return states.tobytes()


def from_bytes(data: bytes, dtype: np.dtype[Any]) -> Twin:
    """The inverse of `to_bytes`."""
    return to_twin(np.frombuffer(data, dtype)[0])


def _copy_into(to: list[Any], source: list[Any]) -> None:
    if isinstance(source[0], list):
        for inner, source_inner in zip(to, source, strict=True):
            _copy_into(inner, source_inner)
    else:
        to[:] = source


class TwinStates(Sequence[Twin]):
    """An array of twins; ``states[i] = states[j]`` copies, as with numpy."""

    def __init__(self, dtype: np.dtype[Any], n: int) -> None:
        zeros = np.zeros(n, dtype)
        self._rows = [to_twin(zeros[i]) for i in range(n)]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Twin]:
        return iter(self._rows)

    def __getitem__(self, i: Any) -> Any:
        return self._rows[i]

    def __setitem__(self, i: int, source: Twin) -> None:
        to = self._rows[i]
        for name in cast(tuple[str, ...], source.dtype.names):
            value = getattr(source, name)
            if isinstance(value, list):
                _copy_into(getattr(to, name), value)
            else:
                setattr(to, name, value)


def new_states(dtype: np.dtype[Any], n: int, compiled: bool) -> Array:
    """n records full of zeros."""
    return np.zeros(n, dtype) if compiled else TwinStates(dtype, n)


def new_array(dtype: str, n: int, compiled: bool) -> Array:
    """n numbers, all zero."""
    return np.zeros(n, dtype) if compiled else [0] * n


# Binding ---------------------------------------------------------------------------------------


def _names(code: CodeType) -> set[str]:
    inner = (_names(const) for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*inner)


def _resolve(fn: Any, game: ModuleType | None) -> Any:
    """The rule itself, or what the game puts into this slot."""
    if not fn.__dict__.get("is_slot"):
        return fn
    provided = getattr(game, fn.__name__, None)
    if provided is None and fn.__dict__.get("is_optional"):
        return fn
    if provided is None or not provided.__dict__.get("is_rule"):
        where = "no game is given" if game is None else f"{game.__name__} has no such rule"
        raise TypeError(f"{fn.__name__} is for a game to provide, and {where}")
    return provided


def _body(fn: Any, compiled: bool) -> Any:
    """The function whose code runs in this form: a primitive's compiled form is another one."""
    return fn.__dict__.get("compiled_body", fn) if compiled else fn


def _globals_of(fn: Any, game: ModuleType | None, compiled: bool) -> dict[str, Any]:
    """The globals a rule reaches in this form, its slots filled."""
    body = _body(fn, compiled)
    used = {}
    for name in sorted(_names(body.__code__) & body.__globals__.keys()):
        value = body.__globals__[name]
        used[name] = _resolve(value, game) if _is_rule(value) else value
    return used


def _closure(fn: Any, game: ModuleType | None, compiled: bool) -> dict[Any, dict[str, Any]]:
    """All rules a rule reaches, itself included, each with the globals it uses."""
    found: dict[Any, dict[str, Any]] = {}
    to_visit = [_resolve(fn, game)]
    while to_visit:
        here = to_visit.pop()
        if here not in found:
            found[here] = _globals_of(here, game, compiled)
            to_visit += [v for v in found[here].values() if _is_rule(v)]
    return found


def _is_rule(value: Any) -> bool:
    return isinstance(value, FunctionType) and bool(value.__dict__.get("is_rule"))


def fingerprint(fn: Any, game: ModuleType | None = None) -> str:
    """A hash of all a compiled rule depends on: every rule it reaches, every constant these use,
    numba's version and the flags. Numba's own cache would not notice a change in a callee."""
    import numba

    digest = hashlib.sha256(repr((numba.__version__, sys.version_info[:2], FLAGS)).encode())
    closure = _closure(fn, game, True)
    for one in sorted(closure, key=lambda f: (f.__module__, f.__qualname__)):
        digest.update(f"{one.__module__}.{one.__qualname__}{one.__dict__.get('flags')}".encode())
        digest.update(_code_bytes(_body(one, True).__code__))
        for name, value in closure[one].items():
            if not _is_rule(value) and not isinstance(value, ModuleType):
                shown = value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()
                digest.update(name.encode() + shown)
    return digest.hexdigest()[:16]


def _code_bytes(code: CodeType) -> bytes:
    """What a function does, without where it stands."""
    consts = [
        _code_bytes(c) if isinstance(c, CodeType) else repr(c).encode() for c in code.co_consts
    ]
    return marshal.dumps((code.co_code, consts, code.co_names, code.co_varnames))


_bound: dict[tuple[Any, str, bool], Callable[..., Any]] = {}
_in_hand: list[Any] = []
_binding = threading.RLock()


def bind(fn: Fn, game: ModuleType | None = None, *, compiled: bool) -> Fn:
    """A rule in its compiled or interpreted form, its slots filled by a game module."""
    target = _resolve(fn, game)
    key = (target, game.__name__ if game else "", compiled)
    with _binding:
        if key not in _bound:
            if target in _in_hand:
                raise TypeError(f"{target.__qualname__} calls itself in a circle; numba cannot")
            _in_hand.append(target)
            try:
                _bound[key] = _bind(target, game, compiled)
            finally:
                _in_hand.remove(target)
        return cast(Fn, _bound[key])


def _bind(target: Any, game: ModuleType | None, compiled: bool) -> Callable[..., Any]:
    if compiled:
        return _compile(target, game)
    if any(_globals_differ(one, used) for one, used in _closure(target, game, False).items()):
        return _rebuild(target, _bound_globals(target, game, compiled))
    return cast(Callable[..., Any], target)


def _globals_differ(fn: Any, used: dict[str, Any]) -> bool:
    return any(fn.__globals__[name] is not value for name, value in used.items())


def _bound_globals(fn: Any, game: ModuleType | None, compiled: bool) -> dict[str, Any]:
    return {
        name: bind(value, game, compiled=compiled) if _is_rule(value) else value
        for name, value in _globals_of(fn, game, compiled).items()
    }


def _rebuild(fn: Any, names: dict[str, Any]) -> Callable[..., Any]:
    """The same function with other globals."""
    own = {"__builtins__": __builtins__, "__name__": fn.__module__, **names}
    made = FunctionType(fn.__code__, own, fn.__name__, fn.__defaults__)
    made.__qualname__ = fn.__qualname__
    made.__module__ = fn.__module__
    return made


def _compile(fn: Any, game: ModuleType | None) -> Callable[..., Any]:
    import numba
    from numba.core import config

    flags = {**FLAGS, **fn.__dict__.get("flags", {})}
    _check_ends(fn, game)
    is_inlined = "inline" in flags  # compiled into its caller, never by itself
    made = _rebuild(_body(fn, True), _bound_globals(fn, game, True) if is_inlined else {})
    # numba asks this setting where to keep a function at the moment it is decorated
    folder = cache_folder() / fingerprint(fn, game)
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        compiled = numba.njit(cache=True, **flags)(made)
    finally:
        config.CACHE_DIR = before
    _bind_late(compiled, lambda: made.__globals__.update(_bound_globals(fn, game, True)))
    _load_quickly(compiled)
    _widen_arguments(compiled)
    return cast(Callable[..., Any], compiled)


def _check_ends(fn: Any, game: ModuleType | None) -> None:
    """See that no rule calls itself, through others or not."""
    calls = {
        one: [v for v in used.values() if _is_rule(v)]
        for one, used in _closure(fn, game, True).items()
    }
    ended: set[Any] = set()
    in_hand: list[Any] = []

    def visit(one: Any) -> None:
        if one in in_hand:
            raise TypeError(f"{one.__qualname__} calls itself in a circle; numba cannot")
        if one not in ended:
            in_hand.append(one)
            for callee in calls[one]:
                visit(callee)
            in_hand.remove(one)
            ended.add(one)

    visit(fn)


def _bind_late(compiled: Any, bind_callees: Callable[[], None]) -> None:
    """What a rule calls is bound when the rule must be compiled. One that is found on disk is
    whole, and a process that only plays would spend a tenth of its start on a hundred others."""
    compiler = compiled._compiler
    translate = compiler.compile

    def compile(args: Any, return_type: Any) -> Any:
        bind_callees()
        return translate(args, return_type)

    compiler.compile = compile


def _load_quickly(compiled: Any) -> None:
    """Read from the disk without first importing all that numba can translate, which takes longer
    than all the rest; it is imported as ever when something has to be compiled."""
    from numba.core.runtime import rtsys

    kept = compiled._cache

    def load_overload(sig: Any, target: Any) -> Any:
        rtsys.initialize(target)
        with kept._guard_against_spurious_io_errors():
            return kept._load_overload(sig, target)

    kept.load_overload = load_overload


def _widen_arguments(compiled: Any) -> None:
    """Keep numba from compiling a rule anew for each narrow type and each constant it is called
    with: whole numbers are passed as int64."""
    from numba import types

    ask = compiled.get_call_template

    def widened(kind: Any) -> Any:
        plain = types.unliteral(kind)
        return types.int64 if isinstance(plain, types.Integer) and plain.signed else plain

    def get_call_template(args: Any, kws: Any) -> Any:
        return ask(tuple(map(widened, args)), kws)

    compiled.get_call_template = get_call_template


def cache_folder() -> Path:
    """Where compiled rules are kept: ``MANDALIER_CACHE``, or the user's cache folder."""
    if given := os.environ.get("MANDALIER_CACHE"):
        return Path(given)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "mandalier"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    return Path(tempfile.gettempdir()) / f"mandalier-{user}"


def sweep_cache(days: float = 30) -> None:
    """Throw away what was compiled for other versions and has not been used for a while."""
    import shutil

    limit = time.time() - days * 86400
    for folder in cache_folder().glob("*/"):
        if max((f.stat().st_atime for f in folder.rglob("*")), default=limit) < limit:
            shutil.rmtree(folder, ignore_errors=True)


# Compiled or interpreted? ----------------------------------------------------------------------


def can_compile() -> bool:
    """Whether rules may be compiled here: numba is installed and ``MANDALIER_JIT`` is not 0."""
    wanted = os.environ.get("MANDALIER_JIT", "1").lower() not in {"0", "no", "off", "false"}
    return wanted and importlib.util.find_spec("numba") is not None


@cache
def numba_works() -> bool:
    """Whether numba, which is installed, can be imported: it refuses a numpy it does not know."""
    try:
        import numba  # noqa: F401
    except ImportError as error:
        warnings.warn(f"rules are not compiled, as numba fails: {error}", stacklevel=2)
        return False
    return True


class WarmUp:
    """Compiles in another process, so that this one plays on the twin without a stutter."""

    def __init__(
        self,
        arguments: Sequence[str],
        load: Callable[[], None],
        module: str = "mandalier.games.game",
    ) -> None:
        self._arguments = [sys.executable, "-m", module, *arguments]
        self._load = load
        self._thread = threading.Thread(target=self._run, name="warm-up", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        import subprocess

        compiling = subprocess.Popen(
            self._arguments,
            stdin=subprocess.PIPE,  # see `wait_turn`
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with compiling:
            failed = compiling.wait()
        if not failed:
            self._load()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the compiled rules are loaded here (or could not be had)."""
        self._thread.join(seconds)


def wait_turn(name: str) -> None:
    """For the process of a `WarmUp`: wait while another one compiles for this game, then hold the
    turn to the end. Else a dozen tables opened at once would compile the same a dozen times, and
    the last one find it in the cache. Ends here if nobody is left who wanted it: then its input,
    a line to who started it, is closed."""
    global _turn
    try:
        import fcntl
    except ImportError:
        return
    import select

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    _turn = open(folder / f"{name}.turn", "w")
    while True:
        try:
            fcntl.flock(_turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if select.select([sys.stdin], [], [], 0.1)[0]:
                sys.exit()


_turn: Any = None
