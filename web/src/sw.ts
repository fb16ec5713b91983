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
interface Pushed extends Waiting {
  data: { json(): unknown } | null;
}

const worker = self as unknown as {
  addEventListener(name: string, listener: (event: never) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void>; openWindow(url: string): Promise<unknown> };
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
  const told = (event.data?.json() ?? {}) as { title?: string; body?: string; url?: string };
  event.waitUntil(
    worker.registration.showNotification(told.title ?? "Mandalier", {
      body: told.body ?? "",
      icon: "/icons/icon-192.png",
      data: told.url ?? "/",
    }),
  );
});

worker.addEventListener("notificationclick", (event: Waiting & { notification: { data: string; close(): void } }) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow(event.notification.data));
});
