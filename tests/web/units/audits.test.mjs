import assert from "node:assert/strict";
import { test } from "node:test";
import { filesBelow, isBundle, sizeOf, step } from "../../../pbem/web/site/audits.js";

test("an archive of a game is a bundle, and other files are mail", () => {
  assert.ok(isBundle({ name: "hearth-public.tar.gz", head: [0x1f, 0x8b], tail: "" }));
  assert.ok(isBundle({ name: "hearth.zip", head: [0x50, 0x4b], tail: "...hearth/log/leaves..." }));
  for (const other of [
    { name: "letters.zip", head: [0x50, 0x4b], tail: "letter-1.eml" }, { name: "letter.eml.gzip", head: [0x1f, 0x8b], tail: "" },
    { name: "hearth.tar.gz", head: [0x46, 0x72], tail: "" }, { name: "letter.eml", head: [], tail: "log/leaves" },
  ]) assert.ok(!isBundle(other), other.name);
});

test("the files of a folder are found by their places, however many readings it takes", async () => {
  const file = (name) => ({ isFile: true, name, file: (done) => done({ size: 3, name }) });
  const folder = (name, ...inside) => ({ name, createReader: () => { const parts = [inside.slice(0, 1), inside.slice(1), []]; return { readEntries: (done) => done(parts.shift()) }; } });
  const found = await filesBelow(folder("bundle", folder("log", file("0001.entry"), file("leaves")), file("x")));
  assert.deepEqual(found.map(([place]) => place), ["bundle/log/0001.entry", "bundle/log/leaves", "bundle/x"]);
  assert.equal(sizeOf(found), 9);
});

test("an audit grows by each claim, and by each exchange that was played again", () => {
  const audit = { rows: [["proven", "one", ""]], played: 0, of: 0 };
  assert.deepEqual(step(audit, { row: ["open", "two", "why"] }), { rows: [["proven", "one", ""], ["open", "two", "why"]] });
  assert.deepEqual(step(audit, { played: 3, of: 14 }), { played: 3, of: 14 });
});
