import assert from "node:assert/strict";
import test from "node:test";
import { authorName, mergeChanges, PastChange } from "../../Sources/Server/HearthConsole/Page/data/changeHistory";
import { ChangeLog } from "../../Sources/Server/HearthConsole/Page/data/changeLog";
import { parsePath, pathText } from "../../Sources/Server/HearthConsole/Page/tree/keys";
import { fromExport, Json } from "../../Sources/Server/HearthConsole/Page/tree/node";

function logOf(...changes: [at: number, path: string, before: Json, after: Json][]): ChangeLog {
  const log = new ChangeLog();
  for (const [at, path, before, after] of changes) log.record(at, parsePath(path), fromExport(before), fromExport(after));
  return log;
}

const shown = (log: ChangeLog, path = "/") => log.below(parsePath(path), 50).map(each => `${each.kind} ${pathText(each.path)} ${each.text}`);

test("a change is listed with its value", () => {
  assert.deepEqual(shown(logOf([1, "/a", null, "x"], [2, "/a", "x", 2], [3, "/a", 2, null], [4, "/b", null, { c: 1 }])),
    ["added /b {c: 1}", "removed /a 2", 'changed /a "x" → 2', 'added /a "x"']);
});

test("a change of a few places below a node is listed by place, one of many once", () => {
  assert.deepEqual(shown(logOf([1, "/a", { x: 1, y: 2, z: 3 }, { x: 1, y: 5 }])), ["removed /a/z 3", "changed /a/y 2 → 5"]);
  const many = (value: number) => Object.fromEntries(Array.from({ length: 9 }, (_, at) => ["k" + at, value]));
  assert.deepEqual(shown(logOf([1, "/a", many(1), many(2)])), ["changed /a {k0: 2, k1: 2, k2: 2, k3: 2, …}"]);
});

test("a change of which two listens tell is listed once", () => {
  assert.deepEqual(shown(logOf([1, "/a/b", 1, 2], [1, "/a/b", 1, 2])), ["changed /a/b 1 → 2"]);
  // A listen above and one below, in both orders.
  assert.deepEqual(shown(logOf([1, "/a", null, { b: { c: 2 } }], [2, "/a/b", null, { c: 2 }])), ["added /a {b: {…}}"]);
  assert.deepEqual(shown(logOf([1, "/a/b", null, { c: 2 }], [2, "/a", null, { b: { c: 2 } }])), ["added /a {b: {…}}"]);
});

test("equal values at other times and places are changes of their own", () => {
  assert.deepEqual(shown(logOf([1, "/a", 1, 2], [2, "/a", 2, 1], [3, "/a", 1, 2])), ["changed /a 1 → 2", "changed /a 2 → 1", "changed /a 1 → 2"]);
  assert.equal(shown(logOf([1, "/a", 1, 2], [5000, "/a", 1, 2])).length, 2);
  assert.equal(shown(logOf([1, "/a", 1, 2], [1, "/b", 1, 2])).length, 2);
  assert.deepEqual(shown(logOf([1, "/a/b", 1, 2], [1, "/c", 1, 2]), "/a"), ["changed /a/b 1 → 2"]);
});

test("the log keeps the newest 500 changes", () => {
  const log = new ChangeLog();
  for (let at = 0; at < 700; at++) log.record(at * 2000, ["k" + at], null, fromExport(at));
  const found = log.below([], 1000);
  assert.deepEqual([found.length, found[0]!.text, found[499]!.text], [500, "699", "200"]);
});

test("changes of the history are joined with the observed ones, and bring the author", () => {
  const past = (at: number, path: string, text: string, by: string | null): PastChange => ({ at, path: parsePath(path), kind: "changed", text, by });
  const observed = [past(9000, "/a", "2 → 3", null), past(5000, "/a", "1 → 2", null)].map(({ by, ...each }) => each);
  const merged = mergeChanges(observed, [past(5100, "/a", "1 → 2", "kim"), past(100, "/a", "0 → 1", "administrator")], 50);
  assert.deepEqual(merged.map(each => [each.at, each.text, each.by]),
    [[9000, "2 → 3", null], [5000, "1 → 2", "kim"], [100, "0 → 1", "administrator"]]);
  assert.equal(mergeChanges(observed, [], 1).length, 1);
  assert.deepEqual([authorName({ uid: "kim" }), authorName({ isAdministrator: true }), authorName({})], ["kim", "administrator", "signed-out client"]);
});
