import assert from "node:assert/strict";
import test from "node:test";
import { readAddress } from "../../Sources/Server/HearthConsole/Page/state/route";
import { pageTitle } from "../../Sources/Server/HearthConsole/Page/state/title";

const titleOf = (fragment: string, title: string, subject: string | null = null) => pageTitle(title, readAddress(fragment), "chat", subject);

test("a title begins with what the view shows", () => {
  assert.equal(titleOf("#/data", "Data"), "Data · chat · Hearth");
  assert.equal(titleOf("#/data/rooms/a%2Fb?order=key", "Data"), "/rooms/a/b · Data · chat · Hearth");
  assert.equal(titleOf("#/rules", "Rules"), "Rules · chat · Hearth");
  assert.equal(titleOf("#/rules/history", "Rules"), "History · Rules · chat · Hearth");
  assert.equal(titleOf("#/rules/denial/4", "Rules"), "Refused request · Rules · chat · Hearth");
  assert.equal(titleOf("#/people/u1/claims", "People"), "u1 · People · chat · Hearth");
  assert.equal(titleOf("#/people/u1/claims", "People", "ann@example.com"), "ann@example.com · People · chat · Hearth");
  assert.equal(titleOf("#/now/connections/2a01", "Now"), "Connection 2a01 · Now · chat · Hearth");
  assert.equal(pageTitle("Data", readAddress("#/data"), "", null), "Data · Hearth");
});
