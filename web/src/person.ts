// Who plays in this browser. A guest is made silently, at the first thing that needs one.

import type { GuestOut, PersonOut } from "./protocol";
import { ask } from "./socket";
import { say } from "./texts";

type Listener = (person: PersonOut | null) => void;
const listeners = new Set<Listener>();
let known = told();
let coming: Promise<PersonOut> | null = null;

/** The server tells who is here in the page itself. */
function told(): PersonOut | null {
  const found = document.querySelector<HTMLMetaElement>('meta[name="person"]');
  return found ? (JSON.parse(found.content) as PersonOut) : null;
}

/** Who is here, if anybody has been made yet. */
export const whoIsHere = (): PersonOut | null => known;

/** Who is here; a new guest if nobody is. */
export async function somebody(): Promise<PersonOut> {
  if (known) return known;
  coming ??= ask<GuestOut>("POST", "/api/v1/guests", { name: guestName() })
    .then((made) => become(made.person))
    .finally(() => (coming = null));
  return coming;
}

const guestName = (): string => `${say("Guest")} ${100 + Math.floor(900 * Math.random())}`;

function become<P extends PersonOut | null>(person: P): P {
  known = person;
  listeners.forEach((listener) => listener(person));
  return person;
}

/** Another name. */
export async function rename(name: string): Promise<PersonOut> {
  await somebody();
  return become(await ask<PersonOut>("PATCH", "/api/v1/me", { name }));
}

/** Come back by a recovery code; how many codes are left. */
export async function recover(code: string): Promise<number> {
  const found = await ask<{ codes_left: number }>("POST", "/api/v1/recover", { code });
  become(await ask<PersonOut>("GET", "/api/v1/me"));
  return found.codes_left;
}

/** The server does not know this browser any more. */
export const forget = (): void => void become(null);

/** Be told who is here, now and when it changes. */
export function onPerson(listener: Listener): () => void {
  listeners.add(listener);
  listener(known);
  return () => listeners.delete(listener);
}
