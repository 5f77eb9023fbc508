import { test } from "node:test";
import assert from "node:assert/strict";
import { packed, unpacked } from "../../../pbem/web/site/made.js";

test("files are unpacked as they were packed, also none and empty ones", async () => {
  for (const files of [[], [["/lib/ä.pyc", Uint8Array.of(1, 2, 3)], ["/lib/b.pyc", new Uint8Array()], ["/c", Uint8Array.of(255)]]]) {
    const data = new Uint8Array(await packed(files).arrayBuffer());
    assert.deepEqual(unpacked(data).map(([place, bytes]) => [place, [...bytes]]), files.map(([place, bytes]) => [place, [...bytes]]));
  }
});
