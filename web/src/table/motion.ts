// What moved is seen to move. Pieces are told by their ids, else by their kinds (`data-k`): a piece of
// a kind that is gone from one place and one of that kind that is new in another are the same piece.

interface Spot {
  at: DOMMatrix;
  kind: string | null;
  element: SVGGraphicsElement;
}
export type Spots = Map<string, Spot>;

const TAKES_MS = 340;
const STEP_MS = 55;
const LONGEST_MS = 900;
const MOST = 48;
const EASE = "cubic-bezier(.3,.7,.2,1)";

/** Where everything with an id of its own stands, in the drawing's own measures. */
export function spots(svg: SVGSVGElement): Spots {
  const found: Spots = new Map();
  const base = svg.getScreenCTM()?.inverse();
  if (!base) return found;
  for (const element of svg.querySelectorAll<SVGGraphicsElement>("g[id], use[id]")) {
    if (element.closest("defs") || element.querySelector("[id]")) continue;
    const seen = element.getScreenCTM();
    if (!seen) continue;
    const x = Number(element.getAttribute("x") ?? 0);
    const y = Number(element.getAttribute("y") ?? 0);
    const at = base.multiply(seen).translate(x, y);
    found.set(element.id, { at, kind: element.getAttribute("data-k"), element });
  }
  return found;
}

interface Flight {
  from: DOMMatrix | null; // null: it turns up
  to: Spot;
  after: number;
}

/** The pieces that have moved between two drawings, in the order they set off. `mover` is where new
 * pieces come from whose place before is not known. */
function flights(before: Spots, after: Spots, mover: DOMMatrix | null): Flight[] {
  const gone = new Map<string, Spot[]>();
  for (const [id, spot] of before)
    if (!after.has(id) && spot.kind) gone.set(spot.kind, [...(gone.get(spot.kind) ?? []), spot]);
  const shifted: Flight[] = [];
  const carried: Flight[] = [];
  const drawn: Flight[] = [];
  for (const [id, to] of after) {
    const was = before.get(id);
    if (was) {
      if (isElsewhere(was.at, to.at)) shifted.push({ from: was.at, to, after: 0 });
    } else if (to.kind) {
      const from = gone.get(to.kind)?.shift();
      if (from) carried.push({ from: from.at, to, after: 0 });
      else drawn.push({ from: mover, to, after: 0 });
    }
  }
  const first = shifted.length ? 100 : 0;
  carried.forEach((flight, i) => (flight.after = first + i * STEP_MS));
  const second = carried.length ? first + 160 : first;
  drawn.forEach((flight, i) => (flight.after = second + i * STEP_MS));
  return [...shifted, ...carried, ...drawn];
}

function isElsewhere(one: DOMMatrix, other: DOMMatrix): boolean {
  return Math.hypot(one.e - other.e, one.f - other.f) > 0.6 || Math.abs(one.b - other.b) > 0.02;
}

/** Move the pieces of a drawing from where they were; call `stop` to have them there at once. */
export function animate(svg: SVGSVGElement, before: Spots, seat: number | null): { done: Promise<void>; stop: () => void } {
  const after = spots(svg);
  const from = seat === null ? null : spotOf(svg, `seat${seat}`);
  const moved = flights(before, after, from);
  if (!moved.length || moved.length > MOST) return { done: Promise.resolve(), stop: () => undefined };
  const sky = document.createElementNS(svg.namespaceURI, "g") as SVGGElement;
  sky.setAttribute("class", "flying");
  sky.setAttribute("aria-hidden", "true");
  svg.append(sky);
  const hidden: SVGElement[] = [];
  const running = moved.map(({ from: start, to, after: wait }) => {
    const flyer = ghost(to.element);
    sky.append(flyer);
    to.element.style.visibility = "hidden";
    hidden.push(to.element);
    const delay = Math.min(wait, LONGEST_MS - TAKES_MS);
    const frames: Keyframe[] = start
      ? [{ transform: css(start), opacity: 1 }, { transform: css(to.at), opacity: 1 }]
      : [{ transform: css(to.at), opacity: 0 }, { transform: css(to.at), opacity: 1 }];
    return flyer.animate(frames, { duration: TAKES_MS, delay, easing: EASE, fill: "both" });
  });
  let over = false;
  const stop = (): void => {
    if (over) return;
    over = true;
    running.forEach((one) => one.cancel());
    sky.remove();
    hidden.forEach((element) => element.style.removeProperty("visibility"));
  };
  const done = Promise.allSettled(running.map((one) => one.finished)).then(stop);
  return { done, stop };
}

/** A copy of a piece without names. */
export function ghost(element: SVGElement): SVGElement {
  const copy = element.cloneNode(true) as SVGElement;
  for (const one of [copy, ...copy.querySelectorAll("[id]")]) one.removeAttribute("id");
  for (const name of ["x", "y", "role"]) copy.removeAttribute(name);
  copy.style.removeProperty("visibility");
  copy.querySelector("title")?.remove();
  return copy;
}

function spotOf(svg: SVGSVGElement, id: string): DOMMatrix | null {
  const element = svg.querySelector<SVGGraphicsElement>(`#${CSS.escape(id)}`);
  if (!element) return null;
  const box = element.getBBox();
  const base = svg.getScreenCTM()?.inverse();
  const seen = element.getScreenCTM();
  return base && seen ? base.multiply(seen).translate(box.x, box.y).scale(0.3) : null;
}

export const css = (m: DOMMatrix): string => `matrix(${[m.a, m.b, m.c, m.d, m.e, m.f].map((n) => n.toFixed(4)).join(",")})`;
