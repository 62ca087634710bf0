import assert from "node:assert/strict";
import test from "node:test";
import { clausesOf } from "../../Sources/Server/HearthConsole/Page/why/clause";
import { Explanation, RuleVisit } from "../../Sources/Server/HearthConsole/Page/why/explanation";

const visit = (text: string, fields: Partial<RuleVisit> = {}): RuleVisit => ({ path: "/users/$uid", kind: "read", line: 3, column: 5, at: "/users/ann",
  value: false, expression: { text, line: 3, column: 14 }, reads: [], ...fields });

const words = (...trace: RuleVisit[]) => clausesOf({ allowed: false, operation: "read", path: "/users/ann", outcome: "noGrant", summary: "",
  rule: null, trace } as Explanation, "read").map(clause => clause.description ?? clause.text);

test("conditions of a known shape are described in words, others are quoted", () => {
  assert.deepEqual(words(visit("true"), visit("auth != null"), visit("auth.uid !== null"), visit("auth == null")),
    ["all clients", "signed-in users", "signed-in users", "signed-out clients"]);
  assert.deepEqual(words(visit("auth.uid == $uid"), visit("$uid === auth.uid"), visit("(auth != null &&  auth.uid == $uid)")),
    ["ann alone", "ann alone", "ann alone"]);
  assert.deepEqual(words(visit("auth.uid == $other"), visit("auth.token.role == 'x'")), ["auth.uid == $other", "auth.token.role == 'x'"]);
});

test("rules that are never true and rules of another kind give no clause", () => {
  assert.deepEqual(words(visit("false"), visit("true", { kind: "write" }), visit("auth != null", { expression: undefined })), []);
});
