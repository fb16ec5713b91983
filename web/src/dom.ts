// Elements without ceremony.

type Child = Node | string | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: Event) => unknown);

/** An element: attributes by name, listeners as `onclick`, children in order. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child): child is Node | string => !!child));
  return made;
}

/** Put these in the place of all that is inside. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...children.filter((child): child is Node | string => !!child));
}

/** A number no other label on the page has. */
let labels = 0;
export const newId = (): string => `_${++labels}`;

/** A drawing from the server, whose text is SVG. */
export function drawing(svg: string): Element | null {
  const read = new DOMParser().parseFromString(svg, "image/svg+xml");
  const root = read.documentElement;
  return root.nodeName === "svg" ? document.importNode(root, true) : null;
}
