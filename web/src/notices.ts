// Being told, away from the page, that it is one's turn: by this browser, by e-mail, by a web address.
// What there is to choose is what the host of this server has turned on.

import { button } from "./controls";
import { showDialog } from "./dialog";
import { fill, h, newId } from "./dom";
import type { NoticesOut, Subscribed, SubscriptionInfo } from "./protocol";
import { ask } from "./socket";
import { language, say } from "./texts";
import { attempt, notify } from "./toast";

const PATH = "/api/v1/notifications";
type Way = NoticesOut["ways"][number];

/** The choices of whoever is here; hidden while there are none. */
export function noticesOf(): HTMLElement {
  const section = h("section", { class: "box", hidden: true });
  const refresh = async (): Promise<void> => {
    const found = await ask<NoticesOut>("GET", PATH);
    section.hidden = !found.ways.length && !found.subscriptions.length;
    fill(
      section,
      h("h2", {}, say("When it is your turn")),
      h("p", {}, say("You can be told when a game waits for you and you are away from it.")),
      found.subscriptions.length ? h("ul", { class: "list told" }, ...found.subscriptions.map(row)) : null,
      ...found.ways.map((way) => ({ push: () => inBrowser(found), mail: byMail, hook: byHook })[way]()),
    );
  };
  const changed = async (work: Promise<unknown>): Promise<void> => void (await attempt(work.then(refresh)));

  const row = (one: SubscriptionInfo): HTMLElement => {
    const path = `${PATH}/${one.id}`;
    const test = async (): Promise<void> => {
      if (await attempt(ask("POST", `${path}/test`))) notify(say("A test is on its way."));
    };
    return h(
      "li",
      {},
      h("span", { class: "what" }, h("strong", {}, one.address), h("span", {}, nameOf(one.way))),
      one.confirmed ? button(say("Test"), test, "plain", { "aria-label": say("Test {address}", { address: one.address }) }) : codeForm(path),
      button(say("End"), () => changed(ask("DELETE", path)), "plain", { "aria-label": say("End {address}", { address: one.address }) }),
    );
  };

  const codeForm = (path: string): HTMLElement => {
    const code = h("input", { type: "text", inputmode: "numeric", autocomplete: "one-time-code", required: true, maxlength: 12, "aria-label": say("The code from the e-mail"), placeholder: say("Code") });
    const form = h("form", { class: "row" }, code, h("button", { class: "button" }, say("Confirm")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void changed(ask("POST", `${path}/confirm`, { code: code.value.trim() }));
    });
    return form;
  };

  const subscribe = async (way: Way, address: unknown): Promise<Subscribed> => {
    const made = await ask<Subscribed>("POST", PATH, { way, address, language: language() });
    if (made.secret) showSecret(made.secret);
    else if (!made.confirmed) notify(say("A code was sent to this address."));
    return made;
  };

  const addressForm = (way: Way, label: string, type: "email" | "url"): HTMLElement => {
    const id = newId();
    const input = h("input", { id, type, required: true, maxlength: 300, autocomplete: type, placeholder: type === "url" ? "https://" : null });
    const form = h("form", { class: "field" }, h("label", { for: id }, label), h("div", { class: "row" }, input, h("button", { class: "button" }, say("Add"))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void changed(subscribe(way, input.value.trim()));
    });
    return form;
  };
  const byMail = (): HTMLElement => addressForm("mail", say("By e-mail"), "email");
  const byHook = (): HTMLElement => addressForm("hook", say("For programs: a web address that is called"), "url");

  const inBrowser = (found: NoticesOut): HTMLElement => {
    if (!("PushManager" in window) || !found.push_key) return h("p", { class: "soft" }, say("This browser cannot show notices; an installed page often can."));
    const key = found.push_key;
    const turnOn = async (): Promise<void> => {
      if ((await Notification.requestPermission()) !== "granted") {
        notify(say("This browser does not allow notices from here; its settings for this site can."), "problem");
        return;
      }
      const worker = await navigator.serviceWorker.ready;
      const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }).catch(() => null);
      if (!made) notify(say("This browser could not subscribe to notices."), "problem");
      else await changed(subscribe("push", made.toJSON()));
    };
    return button(say("Tell me in this browser"), turnOn);
  };

  void refresh().catch(() => undefined); // without network there is nothing to choose
  return section;
}

function nameOf(way: string): string {
  return { push: say("a browser"), mail: say("e-mail"), hook: say("a program") }[way] ?? way;
}

function showSecret(secret: string): void {
  showDialog(
    say("The secret of this address"),
    h("p", {}, say("What comes from here is signed with it, so that your program can tell. It is shown this once.")),
    h("p", {}, h("code", {}, secret)),
  );
}
