import assert from "node:assert/strict";
import test from "node:test";
import { changedLines, diffLines, hunks, keptLines } from "../../Sources/Server/HearthConsole/Page/rules/diff";
import { parseQuery, queryText } from "../../Sources/Server/HearthConsole/Page/rules/query";
import { conflictsOf, merge, mergedText } from "../../Sources/Server/HearthConsole/Page/rules/merge";
import { groupDenials, repetitionText } from "../../Sources/Server/HearthConsole/Page/state/groupedDenials";
import { completions, helpFor, isOwnQuote, keysAbove, typedKey, wildcardsAbove } from "../../Sources/Server/HearthConsole/Page/rules/language";
import { valueSources, decidingVisit, Explanation, partsOf, TracedExpression, valueText, RuleVisit } from "../../Sources/Server/HearthConsole/Page/why/explanation";

function traced(text: string, value: TracedExpression["value"], operands: TracedExpression[] = []): TracedExpression {
  return { text, line: 1, column: 1, endLine: 1, endColumn: 1 + text.length, value, operands };
}

function visit(expression: TracedExpression, line = 3): RuleVisit {
  return { path: "/rooms/$room", kind: "write", line, column: 5, at: "/rooms/lobby", reads: [], expression };
}

test("a condition is cut at its outermost connectives", () => {
  const unasked: TracedExpression = { ...traced("(c || d)", null), reached: false };
  const whole = traced("a && b && (c || d)", false, [traced("a", true), traced("b", false), unasked]);
  const parts = partsOf(visit(whole));
  assert.deepEqual(parts.map(part => [part.connective, part.traced.text, part.mark]),
    [["", "a", "held"], ["&&", "b", "failed"], ["&&", "(c || d)", "unasked"]]);
  assert.equal(parts[2]!.value, "not evaluated");
});

test("a condition without connectives stays one part, and equal operands are distinguished by position", () => {
  const comparison = traced("auth.uid == $uid", false, [traced("auth.uid", "ann"), traced("$uid", "ben")]);
  assert.equal(partsOf(visit(comparison)).length, 1);
  const same = traced("a || a", true, [traced("a", false), traced("a", true)]);
  assert.deepEqual(partsOf(visit(same)).map(part => part.mark), ["failed", "held"]);
  assert.deepEqual(partsOf({ ...visit(same), expression: undefined }), []);
});

test("a part of a condition lists the sources of its value", () => {
  const place = traced("root.child('m')", { snapshot: { path: "/m", after: false, value: null } }, [
    traced("root", { snapshot: { path: "/", after: false, value: { container: true } } })]);
  assert.deepEqual(valueSources(traced("root.child('m').exists()", false, [place])), ["nothing at /m"]);
  const comparison = traced("auth.uid == $uid", false, [traced("auth.uid", "ann"), traced("$uid", "ben")]);
  assert.deepEqual(valueSources(comparison), ['auth.uid is "ann"', '$uid is "ben"']);
  assert.deepEqual(valueSources({ ...comparison, reached: false }), []);
});

test("values are written as in a rule", () => {
  assert.equal(valueText(null), "null");
  assert.equal(valueText("a\"b"), '"a\\"b"');
  assert.equal(valueText({ text: "long", bytes: 900 }), '"long"…');
  assert.equal(valueText({ snapshot: { path: "/a", after: true, value: 1 } }), "/a after the write: 1");
});

test("the deciding visit is the last one of the deciding rule; null without any visit", () => {
  const explanation = { rule: { path: "/", kind: "write", line: 3, column: 5 }, trace: [visit(traced("a", true), 2), visit(traced("b", false))] };
  assert.equal(decidingVisit(explanation as unknown as Explanation)!.expression!.text, "b");
  assert.equal(decidingVisit({ rule: null, trace: [] } as unknown as Explanation), null);
});

test("differences keep the lines in common", () => {
  const lines = diffLines("a\nb\nc\nd", "a\nc\nx\nd");
  assert.deepEqual(lines.map(line => line.kind[0] + line.text), ["sa", "rb", "sc", "ax", "sd"]);
  assert.deepEqual(changedLines("a\nb", "a\nb\nc"), [3]);
  assert.deepEqual(changedLines("a", "a"), []);
  assert.deepEqual(diffLines("", "x").map(line => line.kind), ["removed", "added"]);
});

test("a diff shows unchanged lines around each change, and omits the others", () => {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const after = [...before];
  after[20] = "changed";
  const shown = hunks(diffLines(before.join("\n"), after.join("\n")), 2);
  assert.equal(shown.filter(line => line?.kind === "same").length, 4);
  assert.equal(shown.filter(line => line === null).length, 0);
  after[35] = "changed";
  assert.equal(hunks(diffLines(before.join("\n"), after.join("\n")), 2).filter(line => line === null).length, 1);
});

test("very different texts are shown as all removed, then all added", () => {
  const lines = diffLines(Array.from({ length: 5000 }, (_, at) => `a${at}`).join("\n"), Array.from({ length: 5000 }, (_, at) => `b${at}`).join("\n"));
  assert.equal(lines.length, 10_000);
});

const RULES = ['{ "rules": {', '  "rooms": {', '    "$room": {', '      "$message": {', '        ".write": "auth."', "      },", '      "x": "$"', "    }",
  '    "$other": 1', "  } } }"];

test("wildcards in scope are those of the enclosing paths", () => {
  assert.deepEqual(wildcardsAbove(RULES, 4), ["$room", "$message"]);
  assert.deepEqual(wildcardsAbove(RULES, 6), ["$room"]);
});

test("completion knows rules, variables, wildcards and methods", () => {
  assert.deepEqual(completions(RULES, 4, RULES[4]!.length - 1).map(each => each.text).slice(0, 2), ["val()", "exists()"]);
  assert.deepEqual(completions(['  ".read": "auth.uid.len"'], 0, 24).map(each => each.text), ["length"]);
  assert.deepEqual(completions(RULES, 6, RULES[6]!.length - 1).map(each => each.text), ["$room"]);
  assert.deepEqual(completions(['  ".re'], 0, 6).map(each => each.text), [".read"]);
  assert.deepEqual(completions(['  ".read": "ne"'], 0, 14).map(each => each.text), ["newData"]);
  assert.match(helpFor("$room")!, /stands for the key/);
  assert.equal(helpFor("constructor"), null);
});

test("changes of different lines are merged, and equal changes are applied once", () => {
  const base = "a\nb\nc\nd\ne\nf";
  const parts = merge(base, "a\nB\nc\nd\ne\nf\ng", "x\na\nb\nc\nd\nE\nf\ng");
  assert.deepEqual(conflictsOf(parts), []);
  assert.equal(mergedText(parts, []), "x\na\nB\nc\nd\nE\nf\ng");
  assert.equal(mergedText(merge(base, base, "b"), []), "b");
  assert.equal(mergedText(merge(base, "b", base), []), "b");
  assert.equal(mergedText(merge("", "", ""), []), "");
});

test("lines that both sides changed are a conflict", () => {
  const parts = merge("a\nb\nc\nd", "a\ntheirs\nc\nd", "a\nmine\nmore\nc\nD");
  assert.deepEqual(conflictsOf(parts), [{ base: ["b"], theirs: ["theirs"], mine: ["mine", "more"] }]);
  assert.equal(mergedText(parts, ["theirs"]), "a\ntheirs\nc\nD");
  assert.equal(mergedText(parts, ["mine"]), "a\nmine\nmore\nc\nD");
  const gone = merge("a\nb\nc", "a\nc", "a\nB\nc");
  assert.equal(mergedText(gone, ["theirs"]), "a\nc");
  // Both sides insert at the same position, so the order is undefined.
  assert.equal(conflictsOf(merge("a\nb", "a\nx\nb", "a\ny\nb")).length, 1);
});

test("equal denials are grouped under the newest, with their count", () => {
  const denial = (id: string, at: number, path: string, count = 1) => ({ id, at, database: "default", operation: "put", cause: null, path,
    uid: null, connection: id, trace: null, count, rule: null, sentence: "No rule applies to this path." });
  const list = groupDenials([denial("4", 40, "/a", 2), denial("3", 30, "/b"), denial("2", 20, "/a"), denial("1", 10, "/a", 3)]);
  assert.deepEqual(list.map(each => [each.id, each.path, each.count, each.at, each.since, each.ids.length]),
    [["4", "/a", 6, 40, 10, 3], ["3", "/b", 1, 30, 30, 1]]);
  const spread = groupDenials([denial("2", 300_000, "/a", 3), denial("1", 60_000, "/a", 10)]);
  assert.equal(repetitionText(spread[0]!), "13 times in 4 minutes");
  assert.equal(repetitionText(groupDenials([denial("1", 10, "/a", 5)])[0]!), "5 times in a second");
  assert.equal(repetitionText(groupDenials([denial("1", 10, "/a")])[0]!), "");
});

test("the lines that an edit keeps are found by their line in the rules in force", () => {
  assert.deepEqual([...keptLines("a\nb\nc\nd", "new\na\nB\nc\nd")], [[1, 2], [3, 4], [4, 5]]);
  assert.deepEqual([...keptLines("a\nb", "a\nb")], [[1, 1], [2, 2]]);
});

test("a quote before another one is kept unless that one ends its text", () => {
  assert.ok(isOwnQuote("{", '"rules": {}}', false) && isOwnQuote('{"a\\"b": ', '"x"', false));
  assert.ok(isOwnQuote('{".x', '"rules": {}}', false), "the text has no end yet");
  assert.ok(!isOwnQuote('{"a', '": 1}', false) && !isOwnQuote("auth != null", '", "b": "c"', true));
  assert.ok(isOwnQuote('auth != null", ', '"b": 1', true));
});

test("queries are written with the names of the SDKs", () => {
  assert.deepEqual(parseQuery(" "), { query: null });
  const asked = '{"orderByChild":"at","startAt":1,"endAt":5,"limitToLast":3}';
  assert.deepEqual(parseQuery(asked), { query: { i: "at", sp: 1, ep: 5, l: 3, vf: "r" } });
  assert.equal(queryText({ i: "at", sp: 1, ep: 5, l: 3, vf: "r" }), asked);
  assert.deepEqual(parseQuery('{"orderByKey":true,"equalTo":"a","limitToFirst":1}'), { query: { i: ".key", sp: "a", ep: "a", l: 1, vf: "l" } });
  assert.equal(queryText({ i: ".key", l: 2, vf: "l" }), '{"orderByKey":true,"limitToFirst":2}');
  for (const wrong of ["{", "[]", "1", '{"order":1}', '{"orderByKey":true,"orderByValue":true}', '{"limitToFirst":0}', '{"limitToFirst":1.5}',
    '{"limitToFirst":1,"limitToLast":1}', '{"orderByChild":1}', '{"equalTo":1,"startAt":2}', '{"toString":1}'])
    assert.ok("problem" in parseQuery(wrong), wrong);
});

test("keysAbove returns the literal keys above a line, and null below a wildcard", () => {
  const lines = ['{"rules": {', '  "rooms": {', '    ".read": "a.child(\'{\') == {}",', '    "lobby": {', '      "me', '    },', '    "$room": {', '      "x', '    }', '  },', '  "m'];
  assert.deepEqual(keysAbove(lines, 4), ["rooms", "lobby"]);
  assert.equal(keysAbove(lines, 7), null);
  assert.deepEqual(keysAbove(lines, 10), []);
  assert.deepEqual(keysAbove(['{"rules": {"a": {"b": {},', '  "c'], 1), ["a"]);
  assert.deepEqual(typedKey('  "me', 5), { from: 3, typed: "me" });
  assert.deepEqual(typedKey('{"', 2), { from: 2, typed: "" });
  for (const text of ['  ".re', '  "$r', '  "a": "b', "  me"]) assert.equal(typedKey(text, text.length), null);
});
