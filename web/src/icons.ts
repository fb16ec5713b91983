// Small drawings for buttons, in the colour of the text beside them.

const PATHS = {
  mark: '<circle cx="12" cy="12" r="9.2"/><path d="M12 2.8c3 3 3 6.2 0 9.2-3-3-3-6.2 0-9.2zM12 21.2c-3-3-3-6.2 0-9.2 3 3 3 6.2 0 9.2zM2.8 12c3-3 6.2-3 9.2 0-3 3-6.2 3-9.2 0zM21.2 12c-3 3-6.2 3-9.2 0 3-3 6.2-3 9.2 0z"/>',
  settings: '<path d="M4 7h10M18 7h2M4 17h2M10 17h10"/><circle cx="16" cy="7" r="2"/><circle cx="8" cy="17" r="2"/>',
  person: '<circle cx="12" cy="8.5" r="3.7"/><path d="M4.8 20c.8-4 3.6-6 7.2-6s6.4 2 7.2 6"/>',
  bot: '<rect x="5" y="8" width="14" height="10" rx="3"/><path d="M12 8V4.500M9.5 12.500v1.500M14.5 12.500v1.5"/>',
  link: '<path d="M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.700l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.700l1-1"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  cross: '<path d="M6 6l12 12M18 6L6 18"/>',
  back: '<path d="M15 5l-7 7 7 7"/>',
  forth: '<path d="M9 5l7 7-7 7"/>',
  menu: '<path d="M5 7h14M5 12h14M5 17h14"/>',
  undo: '<path d="M8.5 5.500 4.500 9.500l4 4M5 9.500h8.500a5.250 5.250 0 0 1 0 10.500H9"/>',
  hint: '<path d="M9.500 17.500c0-2-3-3.500-3-7a5.500 5.500 0 0 1 11 0c0 3.500-3 5-3 7zM10 20.500h4"/>',
  check: '<path d="M5 12.500l4.5 4.500L19 7.5"/>',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon; it says nothing to a screen reader, so what it is on needs a name. */
export function icon(name: IconName): Element {
  const holder = document.createElement("span");
  holder.className = "icon";
  holder.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">${PATHS[name]}</svg>`;
  return holder;
}
