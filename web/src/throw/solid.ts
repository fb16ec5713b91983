// The table in three dimensions, by WebGL: dice that roll over painted tiles and throw shadows.

import {
  AmbientLight,
  BoxGeometry,
  type BufferGeometry,
  CanvasTexture,
  CircleGeometry,
  DirectionalLight,
  DoubleSide,
  Group,
  LinearMipmapLinearFilter,
  type Material,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshStandardMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  PlaneGeometry,
  Quaternion,
  Raycaster,
  RingGeometry,
  Scene,
  ShadowMaterial,
  SRGBColorSpace,
  type Texture,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import type { Stage } from "../protocol";
import { drawPips, drawTiles, FRAME, ROOM_ELSE, ROOM_NEAR, type Mark, type Shown, type Sight } from "./looks";
import type { Pose } from "./path";
import { SIDES } from "./turns";

const UNIT = 1 / 100; // the world's unit is a centimetre
const SHEET = 2048; // the side of the tiles' texture
const FACE = 128;
const THICK = 0.12; // of a tile
const FIELD = 30;
const HIGH_UP = 68; // degrees over the table, on a tall screen and on a wide one
const FURTHER_DOWN = 60;

/** Table to world: y up the page, z up. */
const place = (x: number, y: number, z: number): Vector3 => new Vector3(x * UNIT, -y * UNIT, z * UNIT);

export class Solid implements Sight {
  readonly canvas = document.createElement("canvas");
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(FIELD, 1, 1, 400);
  private readonly sun = new DirectionalLight("#fff6e8", 2.3);
  private readonly board = new Group();
  private readonly cloth: Mesh<PlaneGeometry, MeshStandardMaterial>;
  private readonly mark = new Group();
  private readonly rings: Mesh[] = [];
  private readonly beads: Mesh[] = [];
  private readonly sling: Mesh;
  private readonly dice = new Map<string, Group>();
  private readonly owned: { dispose(): void }[] = [];
  private readonly dieShapes = new Map<string, BufferGeometry>();
  private readonly faces = new Map<string, Material>();
  private stage: Stage | null = null;
  private painted = "";

  constructor(accent: string, paper: string) {
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.camera.up.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.02;
    const floor = new Mesh(this.own(new PlaneGeometry(600, 600)), this.own(new ShadowMaterial({ color: "#2a1a08", opacity: 0.3 })));
    floor.position.z = -THICK;
    floor.receiveShadow = true;
    this.cloth = new Mesh(this.own(clothShape()), this.own(new MeshStandardMaterial({ color: paper, roughness: 1, side: DoubleSide, transparent: true })));
    this.cloth.castShadow = true;
    this.cloth.receiveShadow = true;
    for (const [radius, opacity] of [[1, 0.3], [2, 0.16]] as const) {
      const material = this.own(new MeshBasicMaterial({ color: accent, transparent: true, opacity, depthWrite: false }));
      const edge = this.own(new MeshBasicMaterial({ color: accent, transparent: true, opacity: 0.9, depthWrite: false }));
      const ring = new Mesh(this.own(new CircleGeometry(radius, 64)), material);
      ring.add(new Mesh(this.own(new RingGeometry(radius - 0.05, radius, 64)), edge));
      this.rings.push(ring);
      this.mark.add(ring);
    }
    const bead = this.own(new CircleGeometry(0.26, 20));
    const beadLook = this.own(new MeshBasicMaterial({ color: accent, transparent: true, opacity: 0.85, depthWrite: false }));
    for (let i = 0; i < 18; i++) {
      const one = new Mesh(bead, beadLook);
      this.beads.push(one);
      this.mark.add(one);
    }
    this.sling = new Mesh(this.own(new PlaneGeometry(1, 0.5)), beadLook);
    this.mark.add(this.sling);
    this.mark.renderOrder = 2;
    this.scene.add(floor, this.board, this.cloth, this.mark, this.sun, this.sun.target, new AmbientLight("#f4f4ff", 1.6));
  }

  set(stage: Stage): void {
    this.stage = stage;
    const painted = JSON.stringify([stage.tiles, stage.turned]);
    if (painted !== this.painted) {
      this.painted = painted;
      this.paint(stage);
    }
    const wide = stage.wide * UNIT;
    const high = stage.high * UNIT;
    const middle = place(stage.wide / 2, stage.high / 2, 0);
    // the light comes from behind the viewer's left shoulder
    const [ahead, right] = frame(stage);
    this.sun.position.copy(middle).addScaledVector(right, -22).addScaledVector(ahead, 10).add(new Vector3(0, 0, 42));
    this.sun.target.position.copy(middle);
    const reach = Math.max(wide, high) / 2 + 16;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 5, far: 110 });
    this.sun.shadow.camera.updateProjectionMatrix();
    this.cloth.scale.set(wide + 7, high + 7, 1);
    this.look();
  }

  size(width: number, height: number): void {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.look();
  }

  tableAt(clientX: number, clientY: number): readonly [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2), this.camera);
    const hit = ray.ray.intersectPlane(new Plane(new Vector3(0, 0, 1), 0), new Vector3());
    return hit ? [hit.x / UNIT, -hit.y / UNIT] : [0, 0];
  }

  draw({ dice, mark, cloth }: Shown): void {
    const seen = new Set<string>();
    for (const pose of dice) {
      const key = `${pose.seat}-${pose.die}`;
      seen.add(key);
      let body = this.dice.get(key);
      if (!body) {
        body = this.die(pose);
        this.dice.set(key, body);
        this.scene.add(body);
      }
      body.position.copy(place(pose.x, pose.y, pose.z));
      const [w, x, y, z] = pose.turn;
      body.quaternion.copy(new Quaternion(x, y, z, w));
      body.scale.setScalar(1 - (pose.faint ?? 0));
      body.visible = (pose.faint ?? 0) < 0.98;
    }
    for (const [key, body] of this.dice)
      if (!seen.has(key)) {
        body.removeFromParent();
        this.dice.delete(key);
      }
    this.show(mark);
    this.spread(cloth);
    this.renderer.render(this.scene, this.camera);
  }

  cheaper(): void {
    this.renderer.setPixelRatio(Math.min(1, devicePixelRatio));
    this.sun.shadow.mapSize.set(768, 768);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
  }

  free(): void {
    this.dice.clear();
    for (const one of this.owned) one.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.remove();
  }

  private own<T extends { dispose(): void }>(one: T): T {
    this.owned.push(one);
    return one;
  }

  /** Where the eye is: over the viewer's edge, so that the table and the hand are seen. */
  private look(): void {
    const { stage, camera } = this;
    if (!stage) return;
    const [ahead, right] = frame(stage);
    const up = ((camera.aspect < 0.95 ? HIGH_UP : FURTHER_DOWN) * Math.PI) / 180;
    const back = ahead.clone().multiplyScalar(-Math.cos(up)).add(new Vector3(0, 0, Math.sin(up)));
    const corners: Vector3[] = [];
    const middle = place(stage.wide / 2, stage.high / 2, 0);
    const aside = stage.turned % 2 ? stage.high : stage.wide;
    const deep = stage.turned % 2 ? stage.wide : stage.high;
    for (const [x, y, z] of [
      [-aside / 2 - ROOM_ELSE / 2, -deep / 2, 0],
      [aside / 2 + ROOM_ELSE / 2, -deep / 2, 0],
      [-aside / 2 - ROOM_ELSE / 3, deep / 2 + ROOM_ELSE / 2, 300],
      [aside / 2 + ROOM_ELSE / 3, deep / 2 + ROOM_ELSE / 2, 300],
      [-aside / 4, -deep / 2 - ROOM_NEAR, 0],
      [aside / 4, -deep / 2 - ROOM_NEAR, 0],
    ] as const)
      corners.push(middle.clone().addScaledVector(right, x * UNIT).addScaledVector(ahead, y * UNIT).add(new Vector3(0, 0, z * UNIT)));
    const target = middle.clone();
    let far = 90;
    for (let i = 0; i < 24; i++) {
      camera.position.copy(target).addScaledVector(back, far);
      camera.lookAt(target);
      camera.updateMatrixWorld();
      const seen = corners.map((corner) => corner.clone().project(camera));
      const high = seen.map((one) => one.y);
      const wide = Math.max(...seen.map((one) => Math.abs(one.x)));
      const middleY = (Math.max(...high) + Math.min(...high)) / 2;
      const tall = (Math.max(...high) - Math.min(...high)) / 2;
      far *= 1 + 0.8 * (Math.max(wide, tall) / 0.985 - 1);
      target.addScaledVector(ahead, middleY * far * 0.3);
    }
  }

  private paint(stage: Stage): void {
    this.board.clear();
    const sheet = document.createElement("canvas");
    const scale = SHEET / Math.max(stage.wide, stage.high);
    sheet.width = Math.round(stage.wide * scale);
    sheet.height = Math.round(stage.high * scale);
    const pen = sheet.getContext("2d")!;
    pen.scale(scale, scale);
    drawTiles(pen, stage);
    const texture = this.textured(sheet);
    const top = this.own(new MeshLambertMaterial({ map: texture }));
    const rim = this.own(new MeshLambertMaterial({ color: FRAME }));
    for (const tile of stage.tiles) {
      const side = stage.tile * UNIT;
      const shape = this.own(new BoxGeometry(side, side, THICK));
      // the upper side shows its part of the sheet
      const uv = shape.attributes["uv"]!;
      for (let i = 16; i < 20; i++) {
        const u = (tile.x + uv.getX(i) * stage.tile) / stage.wide;
        const v = 1 - (tile.y + (1 - uv.getY(i)) * stage.tile) / stage.high;
        uv.setXY(i, u, v);
      }
      const body = new Mesh(shape, [rim, rim, rim, rim, top, rim]);
      body.position.copy(place(tile.x + stage.tile / 2, tile.y + stage.tile / 2, 0));
      body.position.z = -THICK / 2;
      body.castShadow = body.receiveShadow = true;
      this.board.add(body);
    }
  }

  private textured(sheet: HTMLCanvasElement): Texture {
    const texture = this.own(new CanvasTexture(sheet));
    texture.colorSpace = SRGBColorSpace;
    texture.anisotropy = Math.min(8, this.renderer.capabilities.getMaxAnisotropy());
    texture.minFilter = LinearMipmapLinearFilter;
    return texture;
  }

  private die(pose: Pose): Group {
    const stage = this.stage!;
    const look = stage.looks[pose.seat]!;
    const side = stage.die * UNIT;
    const shape = this.kept(this.dieShapes, "body", () => new RoundedBoxGeometry(side, side, side, 4, stage.rounding * UNIT));
    const skin = this.kept(this.faces, look.fill, () => new MeshStandardMaterial({ color: look.fill, roughness: 0.32, metalness: 0.02 }));
    const body = new Mesh(shape, skin);
    body.castShadow = body.receiveShadow = true;
    const group = new Group();
    group.add(body);
    const flat = this.kept(this.dieShapes, "face", () => new PlaneGeometry(side, side));
    for (const { face, out, right, up } of SIDES) {
      const pips = new Mesh(flat, this.kept(this.faces, `${pose.seat}-${face}`, () => this.pips(stage, pose.seat, face)));
      const [r, u, o] = [right, up, out].map((each) => new Vector3(...each)) as [Vector3, Vector3, Vector3];
      pips.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(r, u, o));
      pips.position.copy(o.multiplyScalar(side / 2 + 0.008));
      group.add(pips);
    }
    return group;
  }

  private pips(stage: Stage, seat: number, face: number): Material {
    const sheet = document.createElement("canvas");
    sheet.width = sheet.height = FACE;
    const pen = sheet.getContext("2d")!;
    const millimetre = (FACE * 10) / stage.die;
    pen.translate(FACE / 2, FACE / 2);
    pen.scale(millimetre, millimetre);
    drawPips(pen, stage.looks[seat]!, face);
    return new MeshStandardMaterial({ map: this.textured(sheet), transparent: true, roughness: 0.5, polygonOffset: true, polygonOffsetFactor: -2 });
  }

  private kept<T extends { dispose(): void }>(shelf: Map<string, T>, key: string, make: () => T): T {
    let found = shelf.get(key);
    if (!found) shelf.set(key, (found = this.own(make())));
    return found;
  }

  private show(mark: Mark | null): void {
    this.mark.visible = mark !== null;
    if (!mark) return;
    const from = place(...mark.from, 6);
    const to = place(...mark.to, 6);
    this.rings.forEach((ring, i) => {
      ring.position.copy(to);
      ring.position.z += 0.02 * (1 - i);
      ring.rotation.z = mark.angle;
      ring.scale.set(mark.along * UNIT, mark.across * UNIT, 1);
    });
    const way = to.clone().sub(from);
    const count = Math.min(this.beads.length, Math.floor(way.length() / 1.5));
    this.beads.forEach((bead, i) => {
      bead.visible = i > 0 && i < count;
      bead.position.copy(from).addScaledVector(way, i / Math.max(1, count));
    });
    this.sling.visible = mark.pulled !== null;
    if (mark.pulled) {
      const end = place(...mark.pulled, 6);
      const pull = end.clone().sub(from);
      this.sling.position.copy(from).addScaledVector(pull, 0.5);
      this.sling.rotation.z = Math.atan2(pull.y, pull.x);
      this.sling.scale.set(Math.max(0.01, pull.length()), 1, 1);
    }
  }

  /** The cloth comes down over the table, or is lifted. */
  private spread(cloth: number): void {
    this.cloth.visible = cloth > 0.01;
    if (!this.stage) return;
    this.cloth.position.copy(place(this.stage.wide / 2, this.stage.high / 2, 0));
    this.cloth.position.z = 2.2 + (1 - cloth) * 16;
    this.cloth.material.opacity = Math.min(1, cloth * 1.6);
  }
}

/** Straight ahead and to the right, as the viewer looks at the table. */
function frame(stage: Stage): [ahead: Vector3, right: Vector3] {
  const turn = (stage.turned * -Math.PI) / 2;
  const ahead = new Vector3(-Math.sin(turn), Math.cos(turn), 0);
  return [ahead, new Vector3(ahead.y, -ahead.x, 0)];
}

/** A square cloth of side 1 in soft folds. */
function clothShape(): PlaneGeometry {
  const shape = new PlaneGeometry(1, 1, 48, 48);
  const at = shape.attributes["position"]!;
  for (let i = 0; i < at.count; i++) {
    const [x, y] = [at.getX(i), at.getY(i)];
    const edge = Math.max(Math.abs(x), Math.abs(y)) * 2;
    const fold = Math.sin(x * 21 + y * 5) * 0.22 + Math.sin(y * 17 - x * 9) * 0.18;
    at.setZ(i, fold + (edge > 0.9 ? -(edge - 0.9) * 20 : 0));
  }
  shape.computeVertexNormals();
  return shape;
}
