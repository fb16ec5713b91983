// What the page says, in the reader's language. The English text is the key, as in the server; the
// others come from the one catalogue (src/mandalier/locales) by the build.
// Write each text as one double-quoted literal: that is how `make messages` finds it.

export type Language = "en" | "fr" | "pt";
export const LANGUAGES: Record<Language, string> = {
  en: "English",
  fr: "Français",
  pt: "Português (Brasil)",
};

type Catalogue = Record<string, string | string[]>;
type Values = Record<string, string | number>;

let spoken: Language = "en";
let catalogue: Catalogue = {};

export const language = (): Language => spoken;

/** The reader's language, as far as we speak it. */
export function preferred(asked: readonly string[] = navigator.languages): Language {
  for (const tag of asked) {
    const short = tag.slice(0, 2).toLowerCase();
    if (short in LANGUAGES) return short as Language;
  }
  return "en";
}

/** Speak a language from now on. */
export async function speak(wanted: Language): Promise<void> {
  if (wanted === "fr") catalogue = (await import("texts:fr")).default;
  else if (wanted === "pt") catalogue = (await import("texts:pt")).default;
  else catalogue = {};
  spoken = wanted;
  document.documentElement.lang = wanted === "pt" ? "pt-BR" : wanted;
}

const filled = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

/** A text, its {names} filled in. */
export function say(text: string, values: Values = {}): string {
  const found = catalogue[text];
  return filled(typeof found === "string" ? found : text, values);
}

/** The text for one or for many, {n} and other names filled in. */
export function sayN(one: string, many: string, n: number, values: Values = {}): string {
  const found = catalogue[one];
  const isMany = spoken === "en" ? n !== 1 : n > 1;
  const [single, plural] = Array.isArray(found) ? found : [one, many];
  return filled((isMany ? plural : single) ?? many, { n, ...values });
}
