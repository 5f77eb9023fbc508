// The rounds of the post box, with what Python says in them.
import { test } from "node:test";
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const place = mkdtempSync(join(tmpdir(), "post-")), at = (name) => pathToFileURL(join(place, name));
cpSync(new URL("../../../pbem/web/site/", import.meta.url), place, { recursive: true });
writeFileSync(at("package.json"), '{"type": "module"}');
writeFileSync(at("ask.js"), "export class Fault extends Error {} export class Locked extends Error {} export const ask = (what) => globalThis.python(what);");
writeFileSync(at("pocket.js"), "export const peek = () => null, offer = () => false;");
globalThis.document = { querySelector: () => ({ content: "connect-src https://box.test/" }) };
globalThis.navigator ??= {};
Object.defineProperty(navigator, "locks", { configurable: true, value: { request: (_name, act) => act() } });
const asked = [], sealed = [{ game: "hearth", sealed: true, said: "it is answered by itself" }];
const says = { answer: () => sealed.splice(0), copy_question: () => null, copying: () => ({ is_own: true }) };
globalThis.python = async (what) => asked.push(what) && (says[what] ?? (() => []))();
const { isNewest, work } = await import(at("post.js"));
const { store } = await import(at("state.js"));

test("a device that has not reached the box does not pass for the newest, but for one that gave the last copy", async () => {
  globalThis.fetch = async () => { throw new TypeError("no network"); };
  for (const is_own of [false, true]) {
    Object.assign(says, { copy_question: () => ({ url: "https://box.test/copy", body: "" }), copying: () => ({ box: "https://box.test/", is_own }) });
    assert.equal(await isNewest(), is_own);
  }
  Object.assign(says, { copy_question: () => null, copying: () => ({ is_own: true }) });
});

test("what was sealed by itself goes in a round of its own, at once", async () => {
  store.set({ standing: { keys: [{ name: "alice", unlocked: true }], games: [] } });
  await work();
  assert.equal(asked.filter((what) => what === "waiting").length, 2);
});
