// The table seen from above on a flat canvas, where there is no WebGL.

import type { Stage } from "../protocol";
import { drawPips, drawTiles, PIPS, ROOM_ELSE, ROOM_NEAR, type Mark, type Shown, type Sight } from "./looks";
import { rotated, SIDES, type Vector } from "./turns";

const EYE = 12000; // how high over the table the eye is
const LIGHT: Vector = [-0.42, 0.38, 0.82];

type Look = Shown["dice"][number];

export class Flat implements Sight {
  readonly canvas = document.createElement("canvas");
  private readonly pen = this.canvas.getContext("2d")!;
  private stage: Stage | null = null;
  private board: HTMLCanvasElement | null = null;
  private painted = "";
  private toScreen = new DOMMatrix();
  private density = 1;

  constructor(
    private readonly accent: string,
    private readonly paper: string,
    private readonly ink: string,
  ) {}

  set(stage: Stage): void {
    this.stage = stage;
    const painted = JSON.stringify([stage.tiles, stage.turned]);
    if (painted !== this.painted) {
      this.painted = painted;
      this.board = null;
    }
    this.fit();
  }

  size(width: number, height: number): void {
    this.density = Math.min(2, devicePixelRatio);
    this.canvas.width = Math.round(width * this.density);
    this.canvas.height = Math.round(height * this.density);
    this.board = null;
    this.fit();
  }

  tableAt(clientX: number, clientY: number): readonly [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const at = new DOMPoint((clientX - box.left) * this.density, (clientY - box.top) * this.density);
    const there = at.matrixTransform(this.toScreen.inverse());
    return [there.x, there.y];
  }

  draw({ dice, mark, cloth }: Shown): void {
    const { pen, stage } = this;
    if (!stage) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.tiles(stage), 0, 0);
    pen.setTransform(this.toScreen);
    if (mark) this.mark(mark);
    for (const one of dice) this.shadow(one, stage.die / 2);
    for (const one of [...dice].sort((a, b) => a.z - b.z)) this.die(one, stage);
    if (cloth > 0.01) {
      pen.globalAlpha = Math.min(1, cloth * 1.5);
      pen.fillStyle = this.paper;
      pen.strokeStyle = this.ink;
      pen.lineWidth = 8;
      pen.beginPath();
      pen.roundRect(-250, -250, stage.wide + 500, stage.high + 500, 160);
      pen.fill();
      pen.globalAlpha *= 0.3;
      pen.stroke();
      pen.globalAlpha = 1;
    }
  }

  cheaper(): void {
    // it is cheap as it is
  }

  free(): void {
    this.canvas.remove();
  }

  private fit(): void {
    const { stage, canvas } = this;
    if (!stage) return;
    const aside = stage.turned % 2 ? stage.high : stage.wide;
    const deep = stage.turned % 2 ? stage.wide : stage.high;
    const whole = [aside + ROOM_ELSE * 1.2, deep + ROOM_ELSE * 0.6 + ROOM_NEAR] as const;
    const scale = Math.min(canvas.width / whole[0], canvas.height / whole[1]);
    const top = (canvas.height - whole[1] * scale) / 2 + (ROOM_ELSE * 0.6 + deep / 2) * scale;
    this.toScreen = new DOMMatrix()
      .translate(canvas.width / 2, top)
      .scale(scale)
      .rotate(-90 * stage.turned)
      .translate(-stage.wide / 2, -stage.high / 2);
  }

  private tiles(stage: Stage): HTMLCanvasElement {
    if (this.board) return this.board;
    this.board = document.createElement("canvas");
    this.board.width = this.canvas.width;
    this.board.height = this.canvas.height;
    const pen = this.board.getContext("2d")!;
    pen.setTransform(this.toScreen);
    drawTiles(pen, stage);
    return this.board;
  }

  private mark(mark: Mark): void {
    const { pen } = this;
    pen.fillStyle = pen.strokeStyle = this.accent;
    for (const radius of [2, 1]) {
      pen.beginPath();
      pen.ellipse(...mark.to, radius * mark.along, radius * mark.across, -mark.angle, 0, 2 * Math.PI);
      pen.globalAlpha = 0.17;
      pen.fill();
      pen.globalAlpha = 0.8;
      pen.lineWidth = 14;
      pen.stroke();
    }
    pen.lineCap = "round";
    pen.setLineDash([1, 130]);
    pen.lineWidth = 46;
    pen.beginPath();
    pen.moveTo(...mark.from);
    pen.lineTo(...mark.to);
    pen.stroke();
    pen.setLineDash([]);
    if (mark.pulled) {
      pen.lineWidth = 40;
      pen.beginPath();
      pen.moveTo(...mark.from);
      pen.lineTo(...mark.pulled);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  private shadow({ x, y, z, faint }: Look, half: number): void {
    const { pen } = this;
    const lift = Math.max(0, z - half);
    pen.globalAlpha = 0.3 * (1 - (faint ?? 0)) * Math.max(0.3, 1 - lift / 2500);
    pen.fillStyle = "#000";
    pen.beginPath();
    pen.arc(x + 22 + lift * 0.3, y + 26 + lift * 0.3, half * 1.15, 0, 2 * Math.PI);
    pen.fill();
    pen.globalAlpha = 1;
  }

  private die(one: Look, stage: Stage): void {
    const { pen } = this;
    const look = stage.looks[one.seat]!;
    const grow = EYE / (EYE - Math.min(one.z, EYE / 2));
    const half = (stage.die / 2) * grow * (1 - (one.faint ?? 0));
    for (const { face, out, right, up } of SIDES) {
      const [n, r, u] = [out, right, up].map((each) => rotated(one.turn, each)) as [Vector, Vector, Vector];
      if (n[2] < 0.02) continue;
      pen.save();
      // y of a turn goes up the page, the pen's goes down
      pen.transform(r[0], -r[1], -u[0], u[1], one.x + n[0] * half, one.y - n[1] * half);
      const light = 0.62 + 0.42 * Math.max(0, n[0] * LIGHT[0] + n[1] * LIGHT[1] + n[2] * LIGHT[2]);
      pen.beginPath();
      pen.roundRect(-half, -half, 2 * half, 2 * half, half * 0.2);
      pen.fillStyle = look.fill;
      pen.fill();
      pen.fillStyle = light < 1 ? `rgb(0 0 0 / ${(1 - light) * 0.8})` : `rgb(255 255 255 / ${(light - 1) * 0.8})`;
      pen.fill();
      pen.scale((10 * half) / (stage.die / 2), (10 * half) / (stage.die / 2));
      if (PIPS[face]) drawPips(pen, look, face);
      pen.restore();
    }
  }
}
