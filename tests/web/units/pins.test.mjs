import { test } from "node:test";
import assert from "node:assert/strict";
import { chosenBlock, pinsOf } from "../../../pbem/web/site/pins.js";

test("a marker has a pin wherever its block may be, and none where it can be followed no further", () => {
  const found = pinsOf([{ number: 1, text: "Edward\n", areas: ["Fife"] }, { number: 3, text: "weak", areas: ["Fife", "Angus"] }, { number: 4, text: "gone", areas: [] }]);
  assert.deepEqual([...found], [
    ["Fife", [{ number: 1, text: "Edward", sure: true }, { number: 3, text: "weak", sure: false }]],
    ["Angus", [{ number: 3, text: "weak", sure: false }]],
  ]);
});

test("what was tapped chooses a block by its name, else one that stands there, else none", () => {
  const blocks = [{ name: "", area: "Fife" }, { name: "", area: "Angus" }, { name: "Edward", area: "Fife" }];
  assert.equal(chosenBlock(blocks, ["Edward", "Fife"]), 2);
  assert.equal(chosenBlock(blocks, ["Angus"]), 1);
  assert.equal(chosenBlock(blocks, ["Ross"]), -1);
  assert.equal(chosenBlock(blocks, []), -1);
});
