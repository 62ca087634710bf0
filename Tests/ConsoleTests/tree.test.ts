import assert from "node:assert/strict";
import test from "node:test";
import { countDifferences, differences } from "../../Sources/Server/HearthConsole/Page/tree/diff";
import { compareKeys, parsePath, problemOfKey, problemOfMove, sharedPath } from "../../Sources/Server/HearthConsole/Page/tree/keys";
import { fromExport, Json, nodeAt, putAt, toExport } from "../../Sources/Server/HearthConsole/Page/tree/node";
import { orderFrom, orderText, queryOf, sortedKeys } from "../../Sources/Server/HearthConsole/Page/tree/order";
import { firstPushIdAt, makePushId, timeOfPushId } from "../../Sources/Server/HearthConsole/Page/tree/pushId";
import { jsonText, readInput } from "../../Sources/Server/HearthConsole/Page/tree/input";

const plain = (json: Json) => JSON.parse(JSON.stringify(json));

test("keys: integers first by number, then text by code unit", () => {
  const keys = ["b", "a", "10", "2", "-5", "01", "1", "\ud83d\udc35", "\ue000", "2147483648", "-0"];
  assert.deepEqual(keys.sort(compareKeys), ["-5", "-0", "1", "01", "2", "10", "2147483648", "a", "b", "\ud83d\udc35", "\ue000"]);
});

test("paths ignore empty parts, and a wrong key says which character", () => {
  assert.deepEqual(parsePath("/rooms//lobby/"), ["rooms", "lobby"]);
  assert.match(problemOfKey("v1.2")!, /character 3/);
  assert.match(problemOfKey("")!, /at least one/);
  assert.match(problemOfKey("é".repeat(385))!, /768/);
  assert.equal(problemOfKey("é".repeat(384)), null);
});

test("a refused move has a reason, and a move is one update of the shared parent", () => {
  assert.match(problemOfMove(["a", "b"], ["a", "b", "c"])!, /below what is moved/);
  assert.match(problemOfMove(["a", "b"], ["a"])!, /holds what is moved/);
  assert.match(problemOfMove(["a"], ["a"])!, /already/);
  assert.match(problemOfMove(["a"], [])!, /at least one/);
  assert.match(problemOfMove(["a"], ["b", "c#"])!, /character 2/);
  assert.equal(problemOfMove(["a", "b"], ["a", "bc"]), null);
  assert.deepEqual(sharedPath(["a", "b"], ["a", "c"]), ["a"]);
  assert.deepEqual(sharedPath(["a"], ["a", "c"]), ["a"]);
  assert.deepEqual(sharedPath([], ["a"]), []);
});

test("push ids tell their time, and other keys do not", () => {
  assert.equal(timeOfPushId("-P71cMk3SYTEeL_u24h9") !== null, true);
  assert.equal(timeOfPushId("s-000001"), null);
  assert.equal(timeOfPushId("zzzzzzzzzzzzzzzzzzzz"), null);
  const at = Date.UTC(2026, 10, 27, 9, 41, 7);
  assert.equal(timeOfPushId(firstPushIdAt(at) + "------------"), at);
  const ids = Array.from({ length: 200 }, () => makePushId(at, () => 0.999));
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(ids).size, 200);
});

test("a key named __proto__ is a key", () => {
  const node = fromExport(JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'));
  assert.deepEqual([...node!.children!.keys()], ["__proto__", "constructor"]);
  assert.equal(({} as any).polluted, undefined);
  assert.equal(JSON.stringify(toExport(node)), '{"__proto__":{"polluted":true},"constructor":1}');
});

test("export form: priorities, arrays, empty parts", () => {
  assert.deepEqual(plain(toExport(fromExport({ a: { ".value": 1, ".priority": "x" }, b: {}, c: [null, 2] }))), { a: { ".value": 1, ".priority": "x" }, c: { "1": 2 } });
  assert.equal(fromExport({ ".priority": 5 }), null);
});

test("a put replaces, makes what is above, and removes what becomes empty", () => {
  let root = putAt(null, ["a", "b"], fromExport(1));
  assert.deepEqual(plain(toExport(root)), { a: { b: 1 } });
  root = putAt(root, ["a", "b", "c"], fromExport("deep"));
  assert.deepEqual(plain(toExport(root)), { a: { b: { c: "deep" } } });
  root = putAt(root, ["a", "b", ".priority"], fromExport(7));
  assert.equal(nodeAt(root, ["a", "b"])!.priority, 7);
  root = putAt(root, ["a", "x", "y"], null);
  root = putAt(root, ["a", "b", "c"], null);
  assert.equal(root, null);
});

test("orders: by value, by child, by priority, ties by key", () => {
  const children = fromExport({ c: 2, a: 2, b: "x", d: true, e: { f: 1 }, g: 10 })!.children!;
  assert.deepEqual(sortedKeys({ by: "value" }, children), ["d", "a", "c", "g", "b", "e"]);
  const people = fromExport({ a: { age: 30 }, b: { age: 4 }, c: { name: "x" } })!.children!;
  assert.deepEqual(sortedKeys({ by: "child", child: "age" }, people), ["c", "b", "a"]);
  assert.deepEqual(orderFrom(orderText({ by: "child", child: "a/b" })), { by: "child", child: "a/b" });
});

test("queries name their bounds as the protocol does", () => {
  const low = { value: 5, key: "k", isIncluded: false };
  assert.deepEqual(queryOf({ by: "key" }, low, null, 200, "first"), { l: 200, vf: "l", i: ".key", sp: "k", sin: false });
  assert.deepEqual(queryOf({ by: "value" }, null, low, 9, "last"), { l: 9, vf: "r", i: ".value", ep: 5, en: "k", ein: false });
  assert.deepEqual(queryOf({ by: "priority" }, null, null, 1, "first"), { l: 1, vf: "l" });
});

test("differences are at the paths where two nodes differ", () => {
  const before = fromExport({ a: 1, b: { c: 2, d: 3 }, e: "x", f: { g: 1 } });
  const after = fromExport({ a: 1, b: { c: 4, d: 3 }, h: true, f: 9 });
  assert.deepEqual(differences(before, after).map(each => each.path.join("/")), ["b/c", "e", "f", "h"]);
  assert.deepEqual(countDifferences(before, after), { added: 2, changed: 1, removed: 2, same: 2 });
  assert.equal(differences(before, before).length, 0);
});

test("input is read by the type that was chosen", () => {
  assert.deepEqual(readInput("text", "007"), { value: "007" });
  assert.deepEqual(readInput("number", " 007 "), { value: 7 });
  assert.deepEqual(readInput("number", "-0"), { value: 0 });
  assert.ok("problem" in readInput("number", "7 apples"));
  assert.ok("problem" in readInput("number", "9007199254740993"));
  assert.ok("problem" in readInput("number", "1e999"));
  assert.deepEqual(readInput("server", "increment:2"), { value: { ".sv": { increment: 2 } } });
  assert.match((readInput("json", '{\n "a": }') as { problem: string }).problem, /line 2/);
  assert.match((readInput("json", '{"a": [1, 2') as { problem: string }).problem, /too early/);
  assert.match((readInput("json", '[1] 2') as { problem: string }).problem, /line 1, character 5/);
  assert.match((readInput("json", '{"a.b": 1}') as { problem: string }).problem, /a\.b/);
});

test("JSON for people has keys in the order of the database", () => {
  assert.equal(jsonText({ b: 1, "10": 2, "9": [] }), '{\n  "9": [],\n  "10": 2,\n  "b": 1\n}');
});
