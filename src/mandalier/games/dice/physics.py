"""One throw of the dice game as rigid bodies: `throw(table, gesture, hand, seed) -> Outcome`.

A pure function. The table, the gesture, the hand's steadiness and the seed give the outcome:
poses, faces, in or out, hits in time order and the trajectory. MuJoCo is imported by the first
throw. No card moves. The numbers come on the die by a seeded choice of one of its 24 rotations,
apart from the simulation, so the faces are fair by construction.

At this edge lengths are tenths of a millimetre and angles tenths of a degree, as in `gesture`.
Inside, the world is in metres and radians, with y up the page and z up from the table.

The same call gives the same outcome, bit for bit, in any thread or process with the same engine
(`Outcome.engine`) on the same kind of machine.
"""

from __future__ import annotations

import json
import math
import threading
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mandalier.games.dice import cube, data
from mandalier.games.dice.cube import Quaternion
from mandalier.games.dice.gesture import (
    TENTH_MM,
    Die,
    Gesture,
    Hand,
    Random,
    Release,
    Table,
    check,
    is_inside,
    release,
)
from mandalier.games.dice.trajectory import Track, pack_trajectory

RULES_OF_THE_WORLD = 1  # counts every change that can change an outcome

_CHUNK = 10  # steps between looks at the dice: shorter than any contact lasts


class PhysicsError(RuntimeError):
    """The simulation broke a law of nature; the message holds the whole situation."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Two dice touch for the first time in the throw: when, and which (seat, die)."""

    ms: int
    first: tuple[int, int]
    second: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a throw did. `landed` and `inside` tell the thrown die first, then all that moved."""

    hit: bool
    landed: tuple[Die, ...]
    inside: tuple[bool, ...]
    hits: tuple[Hit, ...]
    trajectory: bytes
    engine: str
    settled_ms: int
    rolled: bool  # whether the thrown die came to rest on another side than it started on
    taps: int  # how often a die that leaned or was stacked had to be tapped
    ruled: int  # dice that would not lie flat: the face nearest to up counts
    energy: tuple[float, ...] = field(repr=False, default=())  # mJ at each picture, from release

    def text(self) -> str:
        """The chance entry of the record, after `* `."""
        dice = (f"{d.seat}.{d.die} {d.x} {d.y} {d.yaw} {d.face}" for d in self.landed)
        return f"land {'hit' if self.hit else 'free'} " + "; ".join(dice)


# -------------------------------------------------------------------------------- the world


@dataclass(slots=True)
class _World:
    """A model of so many dice, and its data, which belong to one thread."""

    mujoco: Any  # the module: it comes without types
    model: Any
    now: Any


_threads = threading.local()


def engine() -> str:
    """The version of the simulation: outcomes are the same while it is."""
    import mujoco

    return f"dice {RULES_OF_THE_WORLD}, mujoco {mujoco.__version__}"


def _damping(bounce: float, omega: float) -> float:
    """The damping of a contact spring that gives back this share of the speed."""
    fall = math.log(bounce)
    return -2 * omega * fall / math.sqrt(math.pi**2 + fall**2)


def _world_text(dice: int, physics: data.Physics, size: data.Size) -> str:
    """The world as MuJoCo reads it: a plane, and cubes with rounded edges."""
    omega = math.pi / (physics.contact_ms / 1000)
    mass, side, rounding = size.die_g / 1000, size.die_mm / 1000, size.die_rounding_mm / 1000
    inertia, half = mass * side**2 / 6, side / 2 - rounding

    def touch(bounce: float, friction: float) -> str:
        return (
            f'condim="3" friction="{friction}" solimp="0.995 0.995 0.001" '
            f'solref="{-(omega**2)!r} {-_damping(bounce, omega)!r}"'
        )

    one = (
        f'<body pos="{{at}} 0 {side!r}"{{sleep}}><freejoint/>'
        f'<inertial pos="0 0 0" mass="{mass!r}" '
        f'diaginertia="{inertia!r} {inertia!r} {inertia!r}"/>'
        f'<geom type="mesh" mesh="cube" margin="{rounding!r}" '
        f"{touch(physics.die_bounce, physics.die_friction)}/></body>"
    )
    corners = " ".join(
        f"{x!r} {y!r} {z!r}" for x in (-half, half) for y in (-half, half) for z in (-half, half)
    )
    # Apart from each other: dice that touch cannot be put to sleep one by one.
    bodies = one.format(at=-1, sleep="") + "".join(
        one.format(at=i, sleep=' sleep="init"') for i in range(1, dice)
    )
    return (
        f'<mujoco><option timestep="{1 / physics.step_hz!r}" gravity="0 0 {-physics.gravity_m_s2}" '
        f'solver="Newton" cone="elliptic" jacobian="dense" iterations="30" '
        f'sleep_tolerance="{physics.rest_speed}">'
        '<flag sleep="enable" island="enable" autoreset="disable"/></option>'
        f'<asset><mesh name="cube" vertex="{corners}"/></asset><worldbody>'
        '<geom type="plane" size="0 0 1" priority="1" '
        f"{touch(physics.table_bounce, physics.table_friction)}/>"
        f"{bodies}</worldbody></mujoco>"
    )


def _world(dice: int, house: data.House) -> _World:
    """This thread's world of so many dice, built when first needed."""
    worlds: dict[Any, _World] = _threads.__dict__.setdefault("worlds", {})
    key = (dice, house.physics, house.size)
    if key not in worlds:
        import mujoco

        if len(worlds) >= 48:
            worlds.clear()
        model = mujoco.MjModel.from_xml_string(_world_text(dice, house.physics, house.size))
        worlds[key] = _World(mujoco, model, mujoco.MjData(model))
    return worlds[key]


# -------------------------------------------------------------------------------- the throw


def throw(
    table: Table, gesture: Gesture, hand: Hand, seed: int, house: data.House | None = None
) -> Outcome:
    """Simulate one throw."""
    house = house or data.house()
    check(table, gesture, hand, seed, house)
    return Throw(table, gesture, hand, seed, house).outcome()


class Throw:
    """One throw while it runs. Die 0 is the thrown one, then those of the table in order."""

    def __init__(
        self,
        table: Table,
        gesture: Gesture,
        hand: Hand,
        seed: int,
        house: data.House,
        start: Release | None = None,
    ) -> None:
        self.start = start or release(table, gesture, hand, seed, house)
        self.table, self.gesture, self.hand, self.seed = table, gesture, hand, seed
        self.house, self.physics = house, house.physics
        self.names = [(gesture.seat, gesture.die)] + [(d.seat, d.die) for d in table.dice]
        self.count = len(self.names)
        self.mass = house.size.die_g / 1000
        self.half = house.size.die_mm / 2000
        self.frame_steps = self.physics.step_hz // self.physics.frame_hz
        self.steps = 0
        self.frames: list[npt.NDArray[np.float64]] = []
        self.energies: list[float] = []
        self.touched: dict[tuple[int, int], int] = {}
        self.taps = self.ruled = 0
        self.luck = Random(seed, 4)
        self.world = _world(self.count, house)
        self.place()

    # --- the start

    def place(self) -> None:
        """Put the dice where they are, asleep, and the thrown one at its release."""
        lying = self.lying_squares()
        flying = self.moved_clear(self.start, lying)
        model, now, mujoco = self.world.model, self.world.now, self.world.mujoco
        poses = model.qpos0.reshape(self.count, 7)
        sag = self.physics.gravity_m_s2 * (self.physics.contact_ms / 1000 / math.pi) ** 2
        for i, (x, y, yaw) in enumerate(lying, start=1):
            poses[i] = (x, y, self.half - sag, *cube.lying(self.table.dice[i - 1].face, yaw))
        flying, frames = self.flown(flying)
        poses[0] = (*flying.place, *flying.turn)
        mujoco.mj_resetData(model, now)
        inward = cube.rotated(cube.back(flying.turn), flying.spin)
        now.qvel[:6] = (*flying.velocity, *inward)
        self.poses = now.qpos.reshape(self.count, 7)
        self.speeds = now.qvel.reshape(self.count, 6)
        self.began = self.poses.copy()
        self.limit = 0.0
        for earlier in frames:
            self.picture(earlier)
        self.steps = len(frames) * self.frame_steps
        self.picture(flying)
        self.limit = self.energies[-1]

    def lying_squares(self) -> list[cube.Square]:
        """The dice of the table in metres and radians, moved apart where roundings overlap."""
        squares = [
            [d.x * TENTH_MM, -d.y * TENTH_MM, math.radians(d.yaw / 10)] for d in self.table.dice
        ]
        if not cube.move_clear(squares, [False] * len(squares), 2 * self.half, 2e-6):
            raise PhysicsError(self.situation("the dice on the table cannot be moved clear"))
        return squares

    def moved_clear(self, start: Release, lying: list[cube.Square]) -> Release:
        """The release, raised (a flick: drawn back) until it touches nothing."""
        x, y, z = start.place
        if self.gesture.icon == "F":
            vx, vy, _ = start.velocity
            pace = math.hypot(vx, vy) or 1.0
            side = 2 * self.half + 2e-4
            while any(
                cube.overlap([x, y, math.atan2(vy, vx)], square, side)[0] > 0 for square in lying
            ):
                x, y = x - 1e-3 * vx / pace, y - 1e-3 * vy / pace
            return Release((x, y, z), start.turn, start.velocity, start.spin)
        reach = self.half * math.sqrt(3)
        near = any(math.hypot(x - sx, y - sy) < 3 * self.half + reach for sx, sy, _ in lying)
        lowest = reach + (2 * self.half if near else 0.0) + 1e-4
        return Release((x, y, max(z, lowest)), start.turn, start.velocity, start.spin)

    def flown(self, start: Release) -> tuple[Release, list[Release]]:
        """The release after its free flight, as far as nothing can be met, and the pictures.

        A cube in the air keeps its spin and flies a parabola; that needs no simulation.
        """
        lowest = self.half * math.sqrt(3) + 1e-3 + (2 * self.half if self.count > 1 else 0.0)
        (x, y, z), (vx, vy, vz), g = start.place, start.velocity, self.physics.gravity_m_s2
        if self.gesture.icon == "F" or z <= lowest:
            return start, []
        seconds = (vz + math.sqrt(vz * vz + 2 * g * (z - lowest))) / g
        flight = []
        for k in range(int(seconds * self.physics.frame_hz) + 1):
            t = k / self.physics.frame_hz
            wx, wy, wz = start.spin
            flight.append(
                Release(
                    (x + vx * t, y + vy * t, z + vz * t - g * t * t / 2),
                    cube.times(cube.turn(wx * t, wy * t, wz * t), start.turn),
                    (vx, vy, vz - g * t),
                    start.spin,
                )
            )
        return flight[-1], flight[:-1]

    # --- the run

    def run(self) -> None:
        """Let the dice move until all sleep flat, tapping those that lean or are stacked."""
        last = round(self.physics.settle_s * self.physics.step_hz)
        while self.steps < last:
            self.step()
            if self.world.now.ntree_awake == 0:
                leaning = self.leaning()
                if not leaning or self.taps >= self.physics.taps:
                    return
                self.tap(leaning)

    def step(self) -> None:
        """Advance to the next look: when alone a picture's time, else a contact's."""
        now = self.world.now
        left = self.frame_steps - self.steps % self.frame_steps
        stride = left if self.count == 1 else min(_CHUNK, left)
        self.world.mujoco.mj_step(self.world.model, now, nstep=stride)
        self.steps += stride
        if self.count > 1 and now.ntree_awake > 1:
            self.note_touches()
        if self.steps % self.frame_steps == 0:
            self.picture()

    def note_touches(self) -> None:
        """Remember when each pair of dice first touched. A woken die was touched."""
        for a, b in self.world.now.contact.geom.tolist():
            if a > 0 and b > 0:
                pair = (a - 1, b - 1) if a < b else (b - 1, a - 1)
                self.touched.setdefault(pair, self.steps)
        if not self.touched:  # a graze, over before this look
            asleep = self.world.now.tree_asleep.tolist()
            woken = next(i for i in range(1, self.count) if asleep[i] < 0)
            self.touched[0, woken] = self.steps

    def picture(self, flying: Release | None = None) -> None:
        """Keep the poses of this moment and see that no energy came from nowhere."""
        poses = self.poses.copy()
        if flying is None:
            speeds = self.speeds
            moving = float((speeds[:, :3] ** 2).sum())
            turning = float((speeds[:, 3:] ** 2).sum())
        else:
            poses[0] = (*flying.place, *flying.turn)
            moving = sum(v * v for v in flying.velocity)
            turning = sum(w * w for w in flying.spin)
        inertia = (2 * self.half) ** 2 / 6
        lifted = float(poses[:, 2].sum()) - self.count * self.half
        energy = (
            1e6
            * self.mass
            * (moving / 2 + turning * inertia / 2 + self.physics.gravity_m_s2 * lifted)
        )
        self.frames.append(poses)
        self.energies.append(energy / 1000)
        if self.limit and not energy / 1000 <= self.limit * 1.02 + 0.01:
            raise PhysicsError(
                self.situation(f"energy grew from {self.limit:.4f} to {energy / 1000:.4f} mJ")
            )

    def is_flat(self, i: int) -> bool:
        """Whether die i lies on the table on one of its sides."""
        limit = math.radians(self.physics.flat_within_deg)
        on_table = self.poses[i, 2] < self.half + 5e-4
        return bool(on_table) and cube.tilt(self.poses[i, 3:].tolist()) < limit

    def leaning(self) -> list[int]:
        """The dice that do not lie flat on the table."""
        return [i for i in range(self.count) if not self.is_flat(i)]

    def tap(self, leaning: list[int]) -> None:
        """R3: a small seeded nudge to every die that leans or is stacked."""
        self.taps += 1
        strength = min(1.0, 0.2 + 0.1 * self.taps)
        for i in leaning:
            angle, tipping = 2 * math.pi * self.luck.share(), 2 * math.pi * self.luck.share()
            pace, roll = 0.3 * strength, 12 * strength
            before = float((self.speeds[i] ** 2).sum())
            self.speeds[i] = (
                pace * math.cos(angle),
                pace * math.sin(angle),
                0.1 * strength,
                roll * math.cos(tipping),
                roll * math.sin(tipping),
                0.0,
            )
            inertia = (2 * self.half) ** 2 / 6
            given = (pace**2 + 0.01 * strength**2 + inertia * roll**2) / 2
            self.limit += 1000 * self.mass * (given + before)

    # --- the end

    def outcome(self) -> Outcome:
        self.run()
        if not np.isfinite(self.poses).all():
            raise PhysicsError(self.situation("a pose is not finite"))
        self.lay_flat()
        label = cube.ROTATIONS[Random(self.seed, 3).below(len(cube.ROTATIONS))]
        moved = [0] + [i for i in range(1, self.count) if self.has_moved(i)]
        landed = tuple(self.at_rest(i, label) for i in moved)
        return Outcome(
            hit=bool(self.touched),
            landed=landed,
            inside=tuple(is_inside(self.table, d.x, d.y, self.house) for d in landed),
            hits=tuple(
                Hit(round(1000 * step / self.physics.step_hz), self.names[a], self.names[b])
                for (a, b), step in sorted(self.touched.items(), key=lambda hit: hit[1])
            ),
            trajectory=pack_trajectory([self.track(i, label) for i in moved]),
            engine=f"dice {RULES_OF_THE_WORLD}, mujoco {self.world.mujoco.__version__}",
            settled_ms=round(1000 * self.steps / self.physics.step_hz),
            rolled=cube.face_up(self.began[0, 3:]) != cube.face_up(self.poses[0, 3:].tolist()),
            taps=self.taps,
            ruled=self.ruled,
            energy=tuple(self.energies),
        )

    def has_moved(self, i: int) -> bool:
        """Whether a die of the table lies elsewhere now, or was turned."""
        return bool(np.abs(self.poses[i] - self.began[i]).max() > 1e-5)

    def lay_flat(self) -> None:
        """R3: what taps could not settle lies on the face nearest to up, clear of the others."""
        leaning = self.leaning()
        self.ruled = len(leaning)
        poses = self.poses.tolist()
        squares = []
        for x, y, _, *q in poses:
            squares.append([x, y, cube.yaw_of(q, cube.face_up(q))])
        if leaning:
            held = [i not in leaning for i in range(self.count)]
            if not cube.move_clear(squares, held, 2 * self.half, 2e-6):
                raise PhysicsError(self.situation("a die cannot be laid beside the others"))
            for i in leaning:
                face = cube.face_up(poses[i][3:])
                x, y, yaw = squares[i]
                self.poses[i] = (x, y, self.half, *cube.lying(face, yaw))
        self.frames.append(self.poses.copy())

    def at_rest(self, i: int, label: Quaternion) -> Die:
        """Die i in the record's numbers."""
        x, y, _, *q = self.poses[i].tolist()
        shown = cube.times(q, label) if i == 0 else q
        face = cube.face_up(shown)
        return Die(
            *self.names[i],
            x=round(x / TENTH_MM),
            y=round(-y / TENTH_MM),
            yaw=round(math.degrees(cube.yaw_of(shown, face)) * 10) % 3600,
            face=face,
        )

    def track(self, i: int, label: Quaternion) -> Track:
        """The path of die i, from the last picture before it moves to the first at rest."""
        poses = np.array([frame[i] for frame in self.frames])
        changes = np.flatnonzero(np.abs(np.diff(poses, axis=0)).max(axis=1) > 1e-6)
        first, last = (int(changes[0]), int(changes[-1]) + 1) if len(changes) else (0, 0)
        rows = poses[first : last + 1].tolist()
        return Track(
            *self.names[i],
            start=first,
            places=tuple(
                (round(x / TENTH_MM), round(-y / TENTH_MM), round(z / TENTH_MM))
                for x, y, z, *_ in rows
            ),
            turns=tuple(
                cube.times(q, label) if i == 0 else (q[0], q[1], q[2], q[3]) for _, _, _, *q in rows
            ),
        )

    def situation(self, reason: str) -> str:
        """The reason and everything that is needed to throw this again."""
        call = {
            "table": asdict(self.table),
            "gesture": asdict(self.gesture),
            "hand": asdict(self.hand),
            "seed": self.seed,
            "step": self.steps,
        }
        return f"{reason}; the throw: {json.dumps(call)}"
