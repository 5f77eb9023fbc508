// Keeps the whole site for play without a network, and never takes another one unasked: a new version is put
// beside the one in use, and used once the player says so.
const NAMES = "FILES";
const VERSION = "VERSION";
const POLICY = "POLICY";
const HEADER = "Content-Security-Policy", FRAMES = "frame-ancestors 'none'";
const CHOICE = "pbem-choice", MARK = "/chosen";

const cacheOf = (version) => `pbem-${version}`;

async function chosen() {
  const kept = await (await caches.open(CHOICE)).match(MARK);
  return kept ? kept.text() : undefined;
}

async function choose(version) {
  await (await caches.open(CHOICE)).put(MARK, new Response(version));
  for (const name of await caches.keys()) {
    if (name.startsWith("pbem-") && name !== CHOICE && name !== cacheOf(version)) await caches.delete(name);
  }
}

self.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(cacheOf(VERSION));
      await Promise.all([...NAMES, "SHA256SUMS"].map((name) => put(cache, name)));
      if ((await chosen()) === undefined) await choose(VERSION);
    })(),
  );
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// Keys that a tab has left behind while it is loaded anew, in this memory alone; see session.js.
const RELOAD = 30_000; // milliseconds
let left = null;

// What a tab says: the keys, or what came of an act with one. Tabs that sleep say nothing.
function asked(client, question) {
  const { port1, port2 } = new MessageChannel();
  return new Promise((done) => {
    port1.onmessage = ({ data }) => done(data);
    client.postMessage(question, [port2]);
    setTimeout(done, 3000);
  });
}

async function askTabs(question, without) {
  const tabs = (await self.clients.matchAll({ type: "window" })).filter((tab) => tab.id !== without);
  const answers = tabs.map((tab) => asked(tab, question));
  return Promise.any(answers.map(async (answer) => (await answer) ?? Promise.reject())).catch(() => null);
}

async function found(without) {
  const kept = left;
  left = null; // the tab that asks has them now
  if (kept && kept.until > Date.now() && kept.left > Date.now() - RELOAD) return { keys: kept.keys, until: kept.until };
  return askTabs({ session: "find" }, without);
}

// One act with a key that a tab holds, for Python in another, which waits for it.
async function acted(request) {
  const { session, key, data } = await request.json();
  const answer = await askTabs({ session, key: Uint8Array.from(key), data: Uint8Array.from(data) });
  if (!answer) return new Response("", { status: 410 });
  return new Response(JSON.stringify({ done: answer.done && [...answer.done] }), { headers: { "Content-Type": "application/json" } });
}

// A push service wakes this device, and what comes holds no word: that something waits is all there is to show.
const NOTICE = "/notice";

async function shown() {
  const kept = await (await caches.open(CHOICE)).match(NOTICE);
  self.navigator.setAppBadge?.().catch(() => {}); // where pages are not installed; nothing waits for it
  await self.registration.showNotification("pbem", { body: kept ? await kept.text() : "Something waits.", tag: "pbem" });
}

self.addEventListener("push", (event) => event.waitUntil(shown()));

async function opened() {
  const [tab] = await self.clients.matchAll({ type: "window" });
  return tab ? tab.focus() : self.clients.openWindow(self.registration.scope);
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(opened());
});

self.addEventListener("message", (event) => {
  const answer = async () => {
    if (event.data?.notice) return (await caches.open(CHOICE)).put(NOTICE, new Response(event.data.notice));
    if (event.data?.session === "find") return event.ports[0].postMessage(await found(event.source.id));
    if (event.data && "left" in Object(event.data)) {
      left = event.data.left && { ...event.data.left, left: Date.now() };
      return;
    }
    if (event.data === "take") await choose(VERSION);
    event.ports[0]?.postMessage({ version: VERSION, chosen: await chosen() });
  };
  event.waitUntil(answer());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method === "POST" && event.request.url === new URL("session", self.registration.scope).href) {
    return event.respondWith(acted(event.request));
  }
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(served(event.request));
});

async function served(request) {
  const url = new URL(request.url);
  if (url.pathname.endsWith("/")) url.pathname += "index.html";
  url.search = "";
  const cache = await caches.open(cacheOf((await chosen()) ?? VERSION));
  const kept = await cache.match(url.href);
  if (!kept) return fetch(request);
  // As it was put aside, so that a browser can keep what it has compiled of it; an older version is given its policy.
  return kept.headers.get(HEADER)?.includes(FRAMES) ? kept : guarded(kept);
}

// Besides the host's own policy, and for hosts that send none: no other page may frame this one.
function guarded(answer) {
  const headers = new Headers(answer.headers);
  headers.append(HEADER, `${POLICY}; ${FRAMES}`);
  return new Response(answer.body, { status: answer.status, headers });
}

async function put(cache, name) {
  const answer = await fetch(new Request(name, { cache: "no-cache" }));
  if (!answer.ok) throw new TypeError(`${name}: ${answer.status}`);
  await cache.put(name, guarded(answer));
}
