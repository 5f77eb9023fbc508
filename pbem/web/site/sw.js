// Keeps the whole site for play without a network, and never takes another one unasked: a new version is put
// beside the one in use, and used once the player says so.
const NAMES = "FILES";
const VERSION = "VERSION";
const POLICY = "POLICY";
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
      await cache.addAll([...NAMES, "SHA256SUMS"].map((name) => new Request(name, { cache: "no-cache" })));
      if ((await chosen()) === undefined) await choose(VERSION);
    })(),
  );
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("message", (event) => {
  const answer = async () => {
    if (event.data === "take") await choose(VERSION);
    event.ports[0]?.postMessage({ version: VERSION, chosen: await chosen() });
  };
  event.waitUntil(answer());
});

self.addEventListener("fetch", (event) => {
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
  const headers = new Headers(kept.headers);
  // Besides the host's own policy, and for hosts that send none: no other page may frame this one.
  headers.append("Content-Security-Policy", `${POLICY}; frame-ancestors 'none'`);
  return new Response(kept.body, { status: kept.status, headers });
}
