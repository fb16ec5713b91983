// Who plays in this browser. A guest is made silently, at the first thing that needs one.

import type { GuestOut, PersonOut } from "./protocol";
import { ask, Refusal } from "./socket";
import { say } from "./texts";

type Listener = (person: PersonOut) => void;
const listeners = new Set<Listener>();
let known: PersonOut | null = null;
let asking: Promise<PersonOut | null> | null = null;

/** Who is here, if anybody has been made yet. */
export async function whoIsHere(): Promise<PersonOut | null> {
  if (known) return known;
  asking ??= ask<PersonOut>("GET", "/api/v1/me")
    .then(become)
    .catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 401) return null;
      throw error;
    })
    .finally(() => (asking = null));
  return asking;
}

/** Who is here; a new guest if nobody is. */
export async function somebody(): Promise<PersonOut> {
  const found = await whoIsHere();
  if (found) return found;
  const made = await ask<GuestOut>("POST", "/api/v1/guests", { name: guestName() });
  return become(made.person);
}

const guestName = (): string => `${say("Guest")} ${100 + Math.floor(900 * Math.random())}`;

function become(person: PersonOut): PersonOut {
  known = person;
  listeners.forEach((listener) => listener(person));
  return person;
}

/** Another name. */
export async function rename(name: string): Promise<PersonOut> {
  await somebody();
  return become(await ask<PersonOut>("PATCH", "/api/v1/me", { name }));
}

/** Forget who is known here: the cookie has changed. */
export async function askAnew(): Promise<PersonOut | null> {
  known = null;
  return whoIsHere();
}

export function onPerson(listener: Listener): () => void {
  listeners.add(listener);
  if (known) listener(known);
  return () => listeners.delete(listener);
}
