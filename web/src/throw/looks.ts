// What a table and its dice look like, drawn on flat canvases: for a table seen from above, and as the
// surfaces of a solid one.

import type { DieLook, Stage } from "../protocol";
import type { Pose } from "./path";

/** Where a throw would go: drawn on the table while somebody aims. */
export interface Mark {
  /** Where the hand is. */
  from: readonly [x: number, y: number];
  to: readonly [x: number, y: number];
  /** One standard deviation along the way and across it. */
  along: number;
  across: number;
  /** The way, counter-clockwise from the right, in radians. */
  angle: number;
  /** A sling is pulled to here. */
  pulled: readonly [x: number, y: number] | null;
}

/** A way to show the table: solid or flat. Lengths are the server's: tenths of a millimetre. */
export interface Sight {
  readonly canvas: HTMLCanvasElement;
  /** Another table, or a changed one; `room` is how much of the floor around is to be seen on the
   * near side. */
  set(stage: Stage): void;
  size(width: number, height: number): void;
  /** Where a point of the screen is on the table. */
  tableAt(clientX: number, clientY: number): readonly [number, number];
  draw(what: Shown): void;
  /** Be content with less, on a machine that is slow at this. */
  cheaper(): void;
  free(): void;
}

export interface Shown {
  dice: readonly (Pose & { faint?: number })[];
  mark: Mark | null;
  /** How far a cloth lies over the table, 0 to 1. */
  cloth: number;
}

export const ROOM_NEAR = 1420;
export const ROOM_ELSE = 420;
export const FRAME = "#17171a";
const PART = 78; // across a tile, in the measure of its parts

/** Where pips are on a face. */
export const PIPS: readonly (readonly (readonly [number, number])[])[] = [
  [],
  [[0, 0]],
  [[-1, -1], [1, 1]],
  [[-1, -1], [0, 0], [1, 1]],
  [[-1, -1], [-1, 1], [1, -1], [1, 1]],
  [[-1, -1], [-1, 1], [0, 0], [1, -1], [1, 1]],
  [[-1, -1], [-1, 0], [-1, 1], [1, -1], [1, 0], [1, 1]],
];
const PIP_STEP_MM = 4.4;

/** Draw the pips of a face on a pen whose unit is a millimetre and whose origin is the face's middle. */
export function drawPips(pen: CanvasRenderingContext2D, look: DieLook, face: number): void {
  const pip = new Path2D(look.pip);
  pen.fillStyle = look.ink;
  for (const [x, y] of PIPS[face] ?? []) {
    pen.save();
    pen.translate(x * PIP_STEP_MM, y * PIP_STEP_MM);
    pen.fill(pip);
    pen.restore();
  }
}

/** Draw the tiles on a pen whose unit is a tenth of a millimetre; what is written on them is turned to
 * the viewer. */
export function drawTiles(pen: CanvasRenderingContext2D, stage: Stage): void {
  const unit = stage.tile / PART;
  for (const tile of stage.tiles) {
    pen.save();
    pen.translate(tile.x + stage.tile / 2, tile.y + stage.tile / 2);
    pen.rotate((stage.turned * Math.PI) / 2);
    pen.scale(unit, unit);
    pen.translate(-PART / 2, -PART / 2);
    pen.fillStyle = FRAME;
    pen.fillRect(0, 0, PART, PART);
    for (const [x, y, wide, high, paint] of tile.parts as [number, number, number, number, number][]) {
      const look = stage.paints[paint]!;
      pen.fillStyle = look.fill;
      pen.fillRect(x + 1.8, y + 1.8, wide - 3.6, high - 3.6);
      if (look.sign) drawSign(pen, look.sign, look.ink, x + wide / 2, y + high / 2);
    }
    drawLabel(pen, tile.label);
    pen.restore();
  }
}

function drawSign(pen: CanvasRenderingContext2D, sign: string, ink: string, x: number, y: number): void {
  pen.save();
  pen.translate(x, y);
  pen.globalAlpha = 0.6;
  pen.strokeStyle = ink;
  pen.lineWidth = 2.4;
  pen.stroke(new Path2D(sign));
  pen.restore();
}

function drawLabel(pen: CanvasRenderingContext2D, label: string): void {
  const side = 24;
  pen.fillStyle = FRAME;
  pen.fillRect(PART - side - 1, PART - side - 1, side + 1, side + 1);
  pen.fillStyle = "#fffdf6";
  pen.fillRect(PART - side + 1, PART - side + 1, side - 2.8, side - 2.8);
  pen.fillStyle = FRAME;
  pen.font = "bold 20px Georgia, 'DejaVu Serif', serif";
  pen.textAlign = "center";
  pen.textBaseline = "alphabetic";
  pen.fillText(label, PART - side / 2, PART - side / 2 + 7);
}
