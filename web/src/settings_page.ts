// Settings: they belong to this browser.

import "./common";
import { segments, toggle } from "./controls";
import { fill, h } from "./dom";
import { entitle } from "./router";
import { choose, settings } from "./settings";
import { LANGUAGES, say, type Language } from "./texts";

export function mountSettings(element: HTMLElement): void {
  entitle(say("Settings"));
  const now = settings();
  const languages = (Object.keys(LANGUAGES) as Language[]).map((value) => ({ value, words: LANGUAGES[value] }));
  fill(
    element,
    h(
      "div",
      { class: "sheet narrow" },
      h("h1", {}, say("Settings")),
      h(
        "div",
        { class: "stack" },
        segments(say("Language"), languages, now.language, (language) => choose({ language })),
        segments(
          say("Light"),
          [
            { value: "auto" as const, words: say("As the device") },
            { value: "light" as const, words: say("Day") },
            { value: "dark" as const, words: say("Night") },
          ],
          now.theme,
          (theme) => choose({ theme }),
        ),
        segments(
          say("Size of text"),
          [
            { value: "normal" as const, words: say("Normal") },
            { value: "large" as const, words: say("Large") },
            { value: "larger" as const, words: say("Larger") },
          ],
          now.size,
          (size) => choose({ size }),
        ),
        segments(
          say("Motion"),
          [
            { value: "auto" as const, words: say("As the device") },
            { value: "full" as const, words: say("On") },
            { value: "none" as const, words: say("Off"), about: say("Pieces are at their new place at once.") },
          ],
          now.motion,
          (motion) => choose({ motion }),
        ),
        toggle(say("Sounds"), now.sound, (sound) => choose({ sound }), say("small ones, for moves and for your turn")),
      ),
      h("p", { class: "soft" }, say("These settings belong to this browser. Your name and your games are under You."), " ", h("a", { href: "/you" }, say("To your name"))),
    ),
  );
}
