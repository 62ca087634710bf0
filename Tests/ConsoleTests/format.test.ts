import assert from "node:assert/strict";
import test from "node:test";
import { formatBytes, formatCount, formatRate } from "../../Sources/Server/HearthConsole/Page/format/number";
import { displayText, endOfWholeCharacter } from "../../Sources/Server/HearthConsole/Page/format/text";
import { duration, fullTime, periodText } from "../../Sources/Server/HearthConsole/Page/format/time";
import { preview, valueText } from "../../Sources/Server/HearthConsole/Page/format/value";
import { fromExport } from "../../Sources/Server/HearthConsole/Page/tree/node";

test("numbers have commas, sizes have units", () => {
  assert.equal(formatCount(1284000), "1,284,000");
  assert.deepEqual([1, 18, 999, 1000, 262144, 5e6, 999_999].map(formatBytes), ["1 byte", "18 bytes", "999 bytes", "1.0 KB", "262 KB", "5.0 MB", "1.0 MB"]);
  assert.deepEqual([0, 0.6, 0.7, 3.2, 2014].map(formatRate), ["", "", "1/s", "3/s", "2,014/s"]);
});

test("control and bidirectional characters are shown as escapes", () => {
  assert.equal(displayText("a\u202eb\u0000c\n"), "a\\u202Eb\\u0000c\\u000A");
  assert.equal(valueText("\u2066x"), '"\\u2066x"');
});

test("a cut never ends inside a character", () => {
  assert.equal(endOfWholeCharacter("ab🐵", 3), 2);
  assert.equal(displayText("🐵".repeat(10), 5), "🐵🐵…");
});

test("times are formatted by their age", () => {
  assert.deepEqual([48, 90, 27742].map(duration), ["48 s", "1 min", "7 h 42 min"]);
  assert.match(fullTime(1795340467204), /^\d{4}-\d\d-\d\d \d\d:\d\d:07\.204 [+-]\d\d:\d\d$/);
});

test("periods are in words", () => {
  assert.deepEqual([0, 1400, 40_000, 240_000, 5_400_000, 10_800_000].map(periodText),
    ["a second", "a second", "40 seconds", "4 minutes", "90 minutes", "3 hours"]);
});

test("the preview of an object names its first values", () => {
  assert.equal(preview(fromExport({ text: "hello", uid: "ann", more: { x: 1 } })!), 'more: {…}, text: "hello", uid: "ann"');
});
