import assert from "node:assert/strict";
import test from "node:test";
import { matchRank, ranked } from "../../Sources/Server/HearthConsole/Page/shell/matching";

test("a label matches best by its beginning, then by a word, a part, and its letters in order", () => {
  assert.deepEqual(["Pause", "Open Pause", "Unpause", "Paste a user"].map(label => matchRank(label, "pau")), [0, 1, 2, 3]);
  assert.equal(matchRank("Copy path", "xy"), null);
  assert.equal(matchRank("Open Rules", " OPEN ru "), 0);
  assert.equal(matchRank("anything", ""), 0);
});

test("prefix matches come first, and equal ones keep their order", () => {
  const labels = ["Add below the selected node", "Export the selected node", "Open Now", "Note", "notes", "Sign out"];
  assert.deepEqual(ranked(labels, "no", label => label),
    ["Note", "notes", "Add below the selected node", "Export the selected node", "Open Now", "Sign out"]);
});
