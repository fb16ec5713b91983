// One drawing into the next, in place: what has an id stays the same element.

/** Make an element like another one. */
export function morph(old: Element, next: Element): void {
  if (old.isEqualNode(next)) return;
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of [...next.attributes])
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const byId = new Map<string, Element>();
  for (const child of old.children) if (child.id) byId.set(child.id, child);
  let at: ChildNode | null = old.firstChild;
  for (const wanted of [...next.childNodes]) {
    const found = partner(wanted, at, byId);
    if (!found) {
      old.insertBefore(wanted, at);
      continue;
    }
    if (found === at) at = at.nextSibling;
    else old.insertBefore(found, at);
    if (found instanceof Element) morph(found, wanted as Element);
    else if (found.nodeValue !== wanted.nodeValue) found.nodeValue = wanted.nodeValue;
  }
  while (at) {
    const gone: ChildNode = at;
    at = at.nextSibling;
    gone.remove();
  }
}

/** What in the old drawing becomes this: by its id, else what stands in the same place. */
function partner(wanted: ChildNode, at: ChildNode | null, byId: Map<string, Element>): ChildNode | null {
  const id = wanted instanceof Element ? wanted.id : "";
  if (id) {
    const same = byId.get(id);
    return same && same.nodeName === wanted.nodeName ? same : null;
  }
  if (!at || at.nodeName !== wanted.nodeName) return null;
  return at instanceof Element && at.id ? null : at;
}
