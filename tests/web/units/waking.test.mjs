// A device that is woken: what the page asks of a browser, and what the service worker shows.
import { test } from "node:test";
import assert from "node:assert/strict";
import { offersIn } from "../../../pbem/web/site/waking.js";

const SITE = new URL("../../../pbem/web/site/", import.meta.url);
const on = {}, shown = [], cached = new Map();
let tabs = [], badges = 0;
globalThis.location = new URL("https://x.test/");
globalThis.caches = { open: async () => ({ match: async (key) => cached.get(key)?.clone(), put: async (key, answer) => cached.set(key, answer) }) };
globalThis.self = {
  addEventListener: (name, act) => (on[name] = act),
  clients: { matchAll: async () => tabs, openWindow: async (url) => ({ opened: url }) },
  navigator: { setAppBadge: async () => { badges += 1; throw new Error("not installed"); } },
  registration: { scope: "https://x.test/", showNotification: async (title, more) => shown.push([title, more.body, more.tag]) },
};
await import(new URL("sw.js", SITE));

const happens = async (name, event) => {
  let waits;
  on[name]({ ...event, waitUntil: (one) => (waits = one) });
  return waits;
};

test("a wake shows that something waits, and where, once the page has said it", async () => {
  await happens("push", { data: null });
  await happens("message", { data: { notice: "Something waits at club.example." }, ports: [] });
  await happens("push", { data: { text: () => "a word that somebody has sent" } });
  assert.deepEqual(shown, [["pbem", "Something waits.", "pbem"], ["pbem", "Something waits at club.example.", "pbem"]]);
  assert.equal(badges, 2);
});

test("a browser without badges shows it all the same", async () => {
  delete self.navigator.setAppBadge;
  await happens("push", { data: null });
  assert.equal(shown.length, 3);
});

test("a tap opens the page, or goes to the one that is open", async () => {
  let closed = 0;
  const notification = { close: () => { closed += 1; } };
  assert.deepEqual(await happens("notificationclick", { notification }), { opened: "https://x.test/" });
  tabs = [{ focus: async () => "focused" }];
  assert.equal(await happens("notificationclick", { notification }), "focused");
  assert.equal(closed, 2);
});

test("each club that wakes devices is offered once", () => {
  const games = [{ game: "a", push: "" }, { game: "b", push: "K" }, { game: "c", push: "K" }, { game: "d", push: "L" }];
  assert.deepEqual(offersIn(games).map((one) => one.game), ["b", "d"]);
  assert.deepEqual(offersIn([]), []);
});
