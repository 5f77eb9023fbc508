import { test } from "node:test";
import assert from "node:assert/strict";
import { daysUntil } from "../../../pbem/web/site/deadline.js";

test("days are counted by the calendar of the device, whatever the hour", () => {
  const late = new Date(2026, 7, 10, 23, 59), early = new Date(2026, 7, 10, 0, 1);
  for (const now of [late, early]) {
    assert.equal(daysUntil("2026-08-14", now), 4);
    assert.equal(daysUntil("2026-08-10", now), 0);
    assert.equal(daysUntil("2026-08-09", now), -1);
  }
});
