// The service worker: without network the page still opens, and says so. Positions and everything
// else that is live never come from here.

declare const KEPT: string[];
declare const STAMP: string;

interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Waiting {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Opened {
  url: string;
  focus(): Promise<unknown>;
}
interface Pushed extends Waiting {
  data: { json(): unknown } | null;
}

const worker = self as unknown as {
  addEventListener(name: string, listener: (event: never) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void>; openWindow(url: string): Promise<unknown>; matchAll(what: object): Promise<Opened[]> };
  registration: { showNotification(title: string, options: object): Promise<void> };
};

const NAME = `mandalier-${STAMP}`;

worker.addEventListener("install", (event: Waiting) => {
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll(KEPT))
      .then(() => worker.skipWaiting()),
  );
});

worker.addEventListener("activate", (event: Waiting) => {
  const stale = async (): Promise<void> => {
    for (const name of await caches.keys()) if (name !== NAME) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(stale());
});

worker.addEventListener("fetch", (event: Fetching) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || pathname.startsWith("/api/")) return;
  if (request.mode === "navigate") {
    const shell = async (): Promise<Response> => (await caches.match("/")) ?? Response.error();
    event.respondWith(fetch(request).catch(shell));
  } else if (pathname.startsWith("/assets/") || KEPT.includes(pathname)) {
    event.respondWith(fromCache(request));
  }
});

/** What has a hash in its name never changes. */
async function fromCache(request: Request): Promise<Response> {
  const found = await caches.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(NAME)).put(request, answer.clone());
  return answer;
}

worker.addEventListener("push", (event: Pushed) => {
  const told = (event.data?.json() ?? {}) as { title?: string; text?: string; link?: string };
  event.waitUntil(
    worker.registration.showNotification(told.title ?? "Mandalier", {
      body: told.text ?? "",
      icon: "/icons/icon-192.png",
      data: told.link ?? "/",
      tag: told.link ?? "/", // the newest of a table is enough
    }),
  );
});

worker.addEventListener("notificationclick", (event: Waiting & { notification: { data: string; close(): void } }) => {
  event.notification.close();
  const show = async (): Promise<unknown> => {
    const link = new URL(event.notification.data, location.href).href;
    const open = (await worker.clients.matchAll({ type: "window" })).find((one) => one.url === link);
    return open ? open.focus() : worker.clients.openWindow(link);
  };
  event.waitUntil(show());
});
