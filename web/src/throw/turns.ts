// How a die is turned: quaternions (w, x, y, z), in axes x to the right, y away from seat 0, z up.
// The die itself has its 1 up, 2 to the right and 3 away.

export type Turn = readonly [w: number, x: number, y: number, z: number];
export type Vector = readonly [x: number, y: number, z: number];

const HALF = Math.SQRT1_2;

/** What brings each face up; there is no face 0. */
export const UP: readonly Turn[] = [
  [1, 0, 0, 0],
  [1, 0, 0, 0],
  [HALF, 0, -HALF, 0],
  [HALF, HALF, 0, 0],
  [HALF, -HALF, 0, 0],
  [HALF, 0, HALF, 0],
  [0, 1, 0, 0],
];

/** The turn q, then the turn p. */
export function times(p: Turn, q: Turn): Turn {
  const [a, b, c, d] = p;
  const [e, f, g, h] = q;
  return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
}

export const back = ([w, x, y, z]: Turn): Turn => [w, -x, -y, -z];

export function rotated(q: Turn, [x, y, z]: Vector): Vector {
  const [, i, j, k] = times(times(q, [0, x, y, z]), back(q));
  return [i, j, k];
}

/** A die that lies with this face up, turned by tenths of a degree. */
export function lying(face: number, yaw: number): Turn {
  const half = (yaw * Math.PI) / 3600;
  return times([Math.cos(half), 0, 0, Math.sin(half)], UP[face] ?? UP[1]!);
}

/** Some way from one turn to another, the short way round. */
export function mixed(one: Turn, other: Turn, share: number): Turn {
  const sign = one.reduce((sum, part, i) => sum + part * other[i]!, 0) < 0 ? -1 : 1;
  const parts = one.map((part, i) => part * (1 - share) + sign * other[i]! * share);
  const long = Math.hypot(...parts) || 1;
  return parts.map((part) => part / long) as unknown as Turn;
}

/** For each face of the die: the way it looks, and what is right and up on it when it lies on top. */
export const SIDES = [1, 2, 3, 4, 5, 6].map((face) => {
  const down = back(UP[face]!);
  return { face, out: rotated(down, [0, 0, 1]), right: rotated(down, [1, 0, 0]), up: rotated(down, [0, 1, 0]) };
});
