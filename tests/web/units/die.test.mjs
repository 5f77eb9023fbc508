import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, labelOf, reading, thrown } from "../../../pbem/moments/viewer/die.js";

// The same dice as in tests/trust, under a key that is 32 times 07.
const KEY = "07".repeat(32);

test("the first byte below 252 gives the die, and none of them asks for another digest", () => {
  assert.deepEqual(reading([255, 252, 140, 3]), { at: 2, byte: 140, value: 3 });
  assert.deepEqual(reading([0]), { at: 0, byte: 0, value: 1 });
  assert.deepEqual(reading([251]), { at: 0, byte: 251, value: 6 });
  assert.equal(reading([252, 253, 254, 255]), undefined);
});

test("a die is thrown as Python throws it", async () => {
  const expected = JSON.parse(process.env.PBEM_DICE ?? "[]");
  for (const [label, value] of expected) assert.equal((await thrown(KEY, label)).value, value);
  const { trial, digest, at, byte, value } = await thrown(KEY, "1297.1/battle-1/fife/round-1/wallace/die-1");
  assert.equal(trial, 0);
  assert.equal(parseInt(digest.slice(2 * at, 2 * at + 2), 16), byte);
  assert.equal((byte % 6) + 1, value);
});

test("the command has the numbers of the die, and reads the key from the bundle where it is not known", () => {
  const label = labelOf({ label: "1297.1/battle-1/fife/round-1/wallace" }, 2);
  assert.equal(label, "1297.1/battle-1/fife/round-1/wallace/die-2");
  assert.equal(commandOf(label, 7, KEY), `printf %s 'd6 ${label} 0' | openssl dgst -sha256 -mac HMAC -macopt hexkey:${KEY}`);
  assert.match(commandOf(label, 7, ""), /hexkey:\$\(sha256sum < mix\/7\.txt \| cut -d' ' -f1\)$/);
});
