// What the page does when the storage, the lock, Python's worker or the network fails: each fails once, the same is
// asked again, and then all is as if nothing had been wrong.
import { test } from "node:test";
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";

const SITE = new URL("../../../pbem/web/site/", import.meta.url); // a copy, see test_units.py
if (existsSync(new URL("../../../.git", import.meta.url))) throw new Error("this changes the site: run tests/web/test_units.py, which copies it");
const put = (name, text) => {
  const path = new URL(name, SITE);
  mkdirSync(new URL(".", path), { recursive: true });
  writeFileSync(path, text);
};
put("pyodide/pyodide.mjs", "export const loadPyodide = () => globalThis.python();");
put("primitives.js", "export const publicOf = String, agreementPublic = String;");
put("lent.js", "export const lend = String, secretOf = String, heldOf = (name) => { if (name === 'odd') throw name; return name; };");

// -- a storage as a browser's: what a transaction has changed is kept when it completes, or not at all

class Storage {
  kept = { files: new Map(), meta: new Map() };
  fails = "";
  asked(act, what) {
    const asked = {};
    queueMicrotask(() => {
      if (this.fails === what) {
        asked.error = new Error(`${what} failed`);
        asked.onerror?.();
      } else {
        asked.result = act();
        asked.onsuccess?.();
      }
    });
    return asked;
  }
  open() {
    return this.asked(() => ({ close() {}, transaction: (_names, mode) => this.begun(mode) }), "open");
  }
  begun(mode) {
    const now = Object.fromEntries(Object.entries(this.kept).map(([name, rows]) => [name, new Map(rows)]));
    const change = { error: null, abort: () => (change.over = true) && queueMicrotask(() => change.onabort?.()) };
    change.objectStore = (name) => ({
      get: (key) => this.asked(() => now[name].get(key), "read"),
      getAllKeys: () => this.asked(() => [...now[name].keys()], "read"),
      getAll: () => this.asked(() => [...now[name].values()], "read"),
      delete: (key) => now[name].delete(key),
      put: (value, key) => {
        if (this.fails === "put") throw new Error("put failed");
        now[name].set(key, value);
      },
    });
    if (mode) {
      setTimeout(() => {
        if (change.over) return;
        if (this.fails === "commit") change.error = new Error("commit failed");
        else this.kept = now;
        this.fails === "commit" ? change.onabort() : change.oncomplete();
      });
    }
    return change;
  }
}

const storage = new Storage();
globalThis.indexedDB = { open: () => storage.open() };
const store = await import(new URL("store.js", SITE));

for (const [fails, told] of [["open", /open failed/], ["put", /put failed/], ["commit", /commit failed/], ["tab", /another tab/]]) {
  test(`storage: ${fails} fails, nothing is half kept, and the next time all is`, async () => {
    storage.kept = { files: new Map([["old", 1]]), meta: new Map([["generation", 4]]) };
    storage.fails = fails;
    await assert.rejects(store.keep([["a", 1], ["b", 2]], ["old"], fails === "tab" ? 3 : 4), told);
    storage.fails = "";
    assert.deepEqual([...(await store.load()).files], [["old", 1]]);
    assert.equal(await store.generation(), 4);
    await store.keep([["a", 1], ["b", 2]], ["old"], 4);
    assert.deepEqual(await store.load(), { generation: 5, files: new Map([["a", 1], ["b", 2]]) });
  });
}

test("storage: what cannot be read is told, and is there the next time", async () => {
  storage.fails = "read";
  await assert.rejects(store.load(), /read failed/);
  await assert.rejects(store.generation(), /read failed/);
  storage.fails = "";
  assert.equal((await store.load()).generation, 5);
});

// -- Python's worker, with a door that counts and keeps what it was asked

const told = [], door = { files: {}, fills: 0, changed: [] };
const proxy = (value) => ({ toJs: () => value, destroy() {} });
Object.assign(door, {
  fill: (files) => Object.assign(door, { files: { ...files.of }, fills: door.fills + 1, changed: [] }),
  ask: (question) => {
    if (question === "odd") throw new Error("Python is at a loss");
    door.files[question] = 1;
    door.changed = question.startsWith("look") ? [] : [[question, 1]];
    return JSON.stringify(Object.keys(door.files).sort());
  },
  changes: () => proxy([door.changed, []]),
  kept: () => (door.changed = []),
  seed: () => proxy("seed"),
});
const added = [];
globalThis.python = async () => ({
  runPython: () => door,
  registerJsModule() {},
  toPy: (of) => ({ of, destroy() {} }),
  FS: { mkdirTree() {}, writeFile: (path) => added.push(path) },
});
let network = true, busy = 0;
globalThis.fetch = async () => ({ ok: network, json: async () => ({ "more.py": "" }) });
globalThis.navigator ??= {};
Object.defineProperty(navigator, "locks", {
  configurable: true,
  value: {
    request: async (_name, options, act) => {
      if (typeof options === "function") return options({});
      return act(busy-- > 0 ? null : {});
    },
  },
});
globalThis.onmessage = null;
globalThis.postMessage = (data) => told.push(data);
storage.kept = { files: new Map([["home", 1]]), meta: new Map([["generation", 1]]) };
await import(new URL("worker.js", SITE));

let number = 0;
async function ask(question, more) {
  const id = ++number;
  onmessage({ data: { id, question, more } });
  for (;;) {
    const found = told.find((one) => one.id === id && "answer" in one);
    if (found) return JSON.parse(found.answer);
    await new Promise((done) => setTimeout(done, 1));
  }
}

for (const fails of ["open", "put", "commit", "read"]) {
  test(`worker: ${fails} fails, nothing unkept is told, and asked again it is kept`, async () => {
    const before = [...storage.kept.files.keys()], fills = door.fills;
    storage.fails = fails;
    assert.match((await ask(`${fails} 1`)).lost, new RegExp(`${fails} failed`));
    storage.fails = "";
    assert.deepEqual([...storage.kept.files.keys()], before);
    assert.deepEqual(await ask(`${fails} 2`), [...before, `${fails} 2`].sort(), "not what was lost");
    assert.deepEqual([...storage.kept.files.keys()], [...before, `${fails} 2`]);
    assert.ok(door.fills > fills || fails === "open" || fails === "read");
  });
}

test("worker: a fault of Python is told, and the next question is answered", async () => {
  assert.equal((await ask("odd")).lost, "Python is at a loss");
  assert.ok((await ask("look")).includes("put 2"));
});

test("worker: another tab has changed the home, so its files are read anew", async () => {
  storage.kept = { files: new Map([["theirs", 1]]), meta: new Map([["generation", 99]]) };
  assert.deepEqual(await ask("mine"), ["mine", "theirs"]);
  assert.equal(storage.kept.meta.get("generation"), 100);
});

test("worker: another tab has the lock: it is told, waited for, and then answered", async () => {
  busy = 1;
  const before = told.length;
  assert.ok((await ask("look")).includes("theirs"));
  assert.ok(told.slice(before).some((one) => one.held === true));
});

test("worker: what only some questions need cannot be had, and is fetched the next time, and once", async () => {
  network = false;
  assert.match((await ask("look", "more.json")).lost, /more.json cannot be had/);
  network = true;
  for (const _ of [1, 2]) assert.ok((await ask("look", "more.json")).includes("theirs"));
  assert.equal(added.filter((path) => path.endsWith("more.py")).length, 2, "at the start, and now");
});

test("worker: a key that no browser can hold is none, and the next one is", async () => {
  for (const [hold, held] of [["odd", null], ["alice", "alice"]]) {
    onmessage({ data: { id: ++number, hold } });
    await ask("look");
    assert.deepEqual(told.find((one) => one.id === number - 1), { id: number - 1, held });
  }
});

// -- the service worker and the network

const on = {}, cached = new Map();
const cacheNamed = (name) => {
  const held = cached.get(name) ?? cached.set(name, new Map()).get(name);
  return { match: async (key) => held.get(`${key}`)?.clone(), put: async (key, answer) => held.set(new URL(`${key}`, "https://x.test/").href, answer) };
};
globalThis.location = new URL("https://x.test/");
globalThis.self = { addEventListener: (name, act) => (on[name] = act), clients: { claim() {}, matchAll: async () => [] }, registration: { scope: "https://x.test/" } };
const CHOICE = cacheNamed("pbem-choice");
globalThis.caches = {
  open: async (name) => (name === "pbem-choice" ? { match: async () => CHOICE.match("https://x.test/chosen"), put: async (_key, answer) => CHOICE.put("chosen", answer) } : cacheNamed(name)),
  keys: async () => [...cached.keys()],
  delete: async (name) => cached.delete(name),
};
globalThis.Request = class { constructor(url) { this.name = url; } toString() { return this.name; } };
await import(new URL("sw.js", SITE));
const happens = async (name, event) => {
  let waits;
  on[name]({ ...event, waitUntil: (one) => (waits = one), respondWith: (one) => (waits = one) });
  return waits;
};

test("network: a version of which a file is missing is not taken, and the whole one is", async () => {
  let failing = "SHA256SUMS";
  globalThis.fetch = async ({ name }) => (name === failing ? new Response("", { status: 500 }) : new Response(name));
  await assert.rejects(happens("install"), /SHA256SUMS: 500/);
  assert.equal(await CHOICE.match("https://x.test/chosen"), undefined);
  failing = "";
  await happens("install");
  assert.equal(await (await CHOICE.match("https://x.test/chosen")).text(), "VERSION");
});

test("network: gone, what is kept is served and the rest is not; nobody has the key: 410", async () => {
  globalThis.fetch = async () => Promise.reject(new TypeError("offline"));
  const get = (url) => happens("fetch", { request: { method: "GET", url } });
  assert.equal(await (await get("https://x.test/SHA256SUMS?x")).text(), "SHA256SUMS");
  assert.match((await get("https://x.test/SHA256SUMS")).headers.get("Content-Security-Policy"), /frame-ancestors 'none'/);
  await assert.rejects(get("https://x.test/other"), /offline/);
  assert.equal(await get("https://elsewhere.test/"), undefined);
  const request = { method: "POST", url: "https://x.test/session", json: async () => ({ session: "sign", key: [1], data: [2] }) };
  assert.equal((await happens("fetch", { request })).status, 410);
});
