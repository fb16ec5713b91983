// Your name, and how to keep it on another device.

import "./common";
import { button } from "./controls";
import { confirmed, showDialog } from "./dialog";
import { fill, h, newId } from "./dom";
import { noticesOf } from "./notices";
import { gamesPlayed } from "./played";
import { forget, onPerson, recover, rename, whoIsHere } from "./person";
import type { CodesOut, PersonOut } from "./protocol";
import { entitle } from "./router";
import { ask } from "./socket";
import { say, sayN } from "./texts";
import { attempt, notify } from "./toast";

export function mountYou(element: HTMLElement): () => void {
  entitle(say("You"));
  return onPerson((person) =>
    fill(
      element,
      h(
        "div",
        { class: "sheet narrow" },
        h("h1", {}, say("You")),
        h("div", { class: "stack" }, nameForm(person), keepName(person), comeBack(), person && noticesOf(), person && gamesPlayed(), person && leaving()),
      ),
    ),
  );
}

function nameForm(person: PersonOut | null): HTMLElement {
  const id = newId();
  const input = h("input", { id, type: "text", maxlength: 40, required: true, value: person?.name ?? "", autocomplete: "nickname", placeholder: say("Guest") });
  const form = h(
    "form",
    { class: "field" },
    h("label", { for: id }, say("Your name at the tables")),
    h("div", { class: "row" }, input, h("button", { class: "button primary" }, say("Save"))),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(rename(input.value.trim())).then((done) => done && notify(say("You are {name} now.", { name: done.name })));
  });
  return form;
}

function keepName(person: PersonOut | null): HTMLElement {
  const make = async (): Promise<void> => {
    if (person?.kind === "account") {
      const text = say("New codes take the place of those you have; the old ones do not work any more.");
      if (!(await confirmed(say("New codes?"), text, say("Make new codes")))) return;
    }
    const made = await attempt(ask<CodesOut>("POST", "/api/v1/me/codes"));
    if (made) showCodes(made.codes);
  };
  return h(
    "section",
    { class: "box" },
    h("h2", {}, say("On another device")),
    h("p", {}, say("Recovery codes bring your name and your games to another browser, or back to this one. They are all there is to an account: no address, no password.")),
    whoIsHere() ? button(person?.kind === "account" ? say("New recovery codes") : say("Get recovery codes"), make) : h("p", { class: "soft" }, say("You have no name yet: save one, or play a game.")),
  );
}

function showCodes(codes: string[]): void {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(codes.join("\n"));
    notify(say("Copied."));
  };
  showDialog(
    say("Your recovery codes"),
    h("p", {}, say("Write them down or keep them in a safe place: they are shown this once, and each works once.")),
    h("ol", { class: "codes" }, ...codes.map((code) => h("li", {}, h("code", {}, code)))),
    h("div", { class: "row end" }, button(say("Copy all"), () => attempt(copy()), "primary")),
  );
}

function comeBack(): HTMLElement {
  const id = newId();
  const input = h("input", { id, type: "text", maxlength: 60, required: true, autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  const form = h(
    "form",
    { class: "field" },
    h("label", { for: id }, say("I have a code")),
    h("div", { class: "row" }, input, h("button", { class: "button" }, say("Come back"))),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(recover(input.value.trim())).then((left) => {
      if (left !== undefined) notify(sayN("Welcome back. {n} code is left.", "Welcome back. {n} codes are left.", left));
    });
  });
  return h("section", { class: "box" }, h("h2", {}, say("Come back")), form);
}

function leaving(): HTMLElement {
  const everywhere = async (): Promise<void> => {
    const text = say("All browsers and programs that know you forget you. Recovery codes still work.");
    if (!(await confirmed(say("Log out everywhere?"), text, say("Log out")))) return;
    if (await attempt(ask("POST", "/api/v1/logout/everywhere"))) forget();
  };
  const remove = async (): Promise<void> => {
    const text = say("Your name and all that is kept about you is removed. Games you played in stay, without you. This cannot be undone.");
    if (!(await confirmed(say("Be forgotten?"), text, say("Forget me")))) return;
    if (await attempt(ask("DELETE", "/api/v1/me"))) forget();
  };
  return h(
    "section",
    { class: "box" },
    h("h2", {}, say("What is kept about you")),
    h("p", {}, say("Your name, your tables, and what you said at them. You can take it all with you, or have it removed.")),
    h(
      "div",
      { class: "row wrap" },
      h("a", { href: "/api/v1/me/export", download: "mandalier.json", class: "button" }, say("Download it")),
      button(say("Log out everywhere"), everywhere),
      button(say("Forget me"), remove, "danger"),
    ),
  );
}
