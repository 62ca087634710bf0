import assert from "node:assert/strict";
import test from "node:test";
import { changedLines, diffLines, hunks } from "../../Sources/HearthConsole/Page/rules/diff";
import { completions, helpFor, wildcardsAbove } from "../../Sources/HearthConsole/Page/rules/language";
import { causes, decidingVisit, Explanation, partsOf, Traced, valueText, Visit } from "../../Sources/HearthConsole/Page/why/explanation";

function traced(text: string, value: Traced["value"], operands: Traced[] = []): Traced {
  return { text, line: 1, column: 1, endLine: 1, endColumn: 1 + text.length, value, operands };
}

function visit(expression: Traced, line = 3): Visit {
  return { path: "/rooms/$room", kind: "write", line, column: 5, at: "/rooms/lobby", reads: [], expression };
}

test("a condition is cut at its outermost connectives", () => {
  const unasked: Traced = { ...traced("(c || d)", null), reached: false };
  const whole = traced("a && b && (c || d)", false, [traced("a", true), traced("b", false), unasked]);
  const parts = partsOf(visit(whole));
  assert.deepEqual(parts.map(part => [part.connective, part.traced.text, part.mark]),
    [["", "a", "held"], ["&&", "b", "failed"], ["&&", "(c || d)", "unasked"]]);
  assert.equal(parts[2]!.value, "not asked");
});

test("what is no connective stays one part, and equal operands are told apart by their places", () => {
  const comparison = traced("auth.uid == $uid", false, [traced("auth.uid", "ann"), traced("$uid", "ben")]);
  assert.equal(partsOf(visit(comparison)).length, 1);
  const same = traced("a || a", true, [traced("a", false), traced("a", true)]);
  assert.deepEqual(partsOf(visit(same)).map(part => part.mark), ["failed", "held"]);
  assert.deepEqual(partsOf({ ...visit(same), expression: undefined }), []);
});

test("a part names what gave it its value", () => {
  const place = traced("root.child('m')", { snapshot: { path: "/m", after: false, value: null } }, [
    traced("root", { snapshot: { path: "/", after: false, value: { container: true } } })]);
  assert.deepEqual(causes(traced("root.child('m').exists()", false, [place])), ["nothing at /m"]);
  const comparison = traced("auth.uid == $uid", false, [traced("auth.uid", "ann"), traced("$uid", "ben")]);
  assert.deepEqual(causes(comparison), ['auth.uid is "ann"', '$uid is "ben"']);
  assert.deepEqual(causes({ ...comparison, reached: false }), []);
});

test("values are written as in a rule", () => {
  assert.equal(valueText(null), "null");
  assert.equal(valueText("a\"b"), '"a\\"b"');
  assert.equal(valueText({ text: "long", bytes: 900 }), '"long"…');
  assert.equal(valueText({ snapshot: { path: "/a", after: true, value: 1 } }), "/a after the write: 1");
});

test("the visit that decided is the last one of the rule", () => {
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

test("a difference shows what is around, and leaves out the rest", () => {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const after = [...before];
  after[20] = "changed";
  const shown = hunks(diffLines(before.join("\n"), after.join("\n")), 2);
  assert.equal(shown.filter(line => line?.kind === "same").length, 4);
  assert.equal(shown.filter(line => line === null).length, 0);
  after[35] = "changed";
  assert.equal(hunks(diffLines(before.join("\n"), after.join("\n")), 2).filter(line => line === null).length, 1);
});

test("texts that differ throughout are replaced without a table of all pairs", () => {
  const lines = diffLines(Array.from({ length: 5000 }, (_, at) => `a${at}`).join("\n"), Array.from({ length: 5000 }, (_, at) => `b${at}`).join("\n"));
  assert.equal(lines.length, 10_000);
});

const RULES = ['{ "rules": {', '  "rooms": {', '    "$room": {', '      "$message": {', '        ".write": "auth."', "      },", '      "x": "$"', "    }",
  '    "$other": 1', "  } } }"];

test("wildcards in scope are those of the places around", () => {
  assert.deepEqual(wildcardsAbove(RULES, 4), ["$room", "$message"]);
  assert.deepEqual(wildcardsAbove(RULES, 6), ["$room"]);
});

test("completion knows rules, variables, wildcards and methods", () => {
  assert.deepEqual(completions(RULES, 4, RULES[4]!.length - 1).map(each => each.text).slice(0, 2), ["val()", "child()"]);
  assert.deepEqual(completions(RULES, 6, RULES[6]!.length - 1).map(each => each.text), ["$room"]);
  assert.deepEqual(completions(['  ".re'], 0, 6).map(each => each.text), [".read"]);
  assert.deepEqual(completions(['  ".read": "ne"'], 0, 14).map(each => each.text), ["newData"]);
  assert.match(helpFor("$room")!, /stands for the key/);
  assert.equal(helpFor("constructor"), null);
});
