import assert from "node:assert/strict";
import test from "node:test";
import { Person } from "../../Sources/Server/HearthConsole/Page/people/api";
import { readCells, readImport } from "../../Sources/Server/HearthConsole/Page/people/importText";
import { claimsOf, nameOf, problemOfClaims, providersOf, lastSeenAt } from "../../Sources/Server/HearthConsole/Page/people/personText";
import { headline, histogram, outstanding, Receipt, scaleEnd } from "../../Sources/Server/HearthConsole/Page/receipts/receipt";

const person = (fields: Partial<Person>): Person => ({ localId: "u1", createdAt: "1", sessions: 0, ...fields });

const receipt = (fields: Partial<Receipt>): Receipt => ({ id: 1, database: "app", cause: "data", position: 9, time: 1, signedOut: 0, examined: 6,
  kept: 1, cancelled: 5, sent: 5, gone: 0, late: 0, isComplete: true, listeners: [], listenersOmitted: 0, ...fields });

test("cells in quotes hold commas, quotes and line breaks", () => {
  assert.deepEqual(readCells('a, b ,"c, d"\r\n"say ""hi""","two\nlines" ,\r\n\r\nlast'),
    [["a", "b", "c, d"], ['say "hi"', "two\nlines", ""], ["last"]]);
  assert.deepEqual(readCells(""), []);
  assert.equal(readCells('a,"b'), null);
});

test("an import is read from lines below names", () => {
  assert.deepEqual(readImport('Email,name,claims\nann@example.com,"Doe, Ann","{""role"":""editor""}"\nben@example.com'),
    { users: [{ email: "ann@example.com", displayName: "Doe, Ann", customAttributes: '{"role":"editor"}' }, { email: "ben@example.com" }] });
  assert.match((readImport("email,shoe size\na,1") as { problem: string }).problem, /shoe size is none/);
  assert.match((readImport('email\n"a') as { problem: string }).problem, /inside of quotes/);
});

test("an import is read as exports have it", () => {
  assert.deepEqual(readImport('{"users": [{"localId": "u1"}]}'), { users: [{ localId: "u1" }] });
  assert.deepEqual(readImport("[]"), { users: [] });
  for (const text of ["{}", "[1]", "[", " "]) assert.ok("problem" in readImport(text), text);
  const row = "u1,ann@example.com,true,,,Ann,,g1,ann@gmail.com,,,,,,,,,,,,,,,1000,2000,,true,";
  assert.deepEqual(readImport(row), { users: [{ localId: "u1", email: "ann@example.com", displayName: "Ann", createdAt: "1000", lastLoginAt: "2000",
    emailVerified: true, disabled: true, providerUserInfo: [{ providerId: "google.com", rawId: "g1", email: "ann@gmail.com" }] }] });
  assert.deepEqual(readImport(row + ",".repeat(4)), readImport(row));
  assert.match((readImport(row + "\na,b") as { problem: string }).problem, /Row 2 has 2 columns/);
  // Since May 2026 an export has 52 columns; further ones are ignored.
  const apple = row.split(",").concat(Array(60).fill("")).slice(0, 52);
  [apple[28], apple[29], apple[48]] = ["a-1", "ann@apple.example", "y-1"];
  const { users } = readImport(apple.concat("new").join(",")) as { users: { providerUserInfo: object[] }[] };
  assert.deepEqual(users[0]!.providerUserInfo.slice(-2), [
    { providerId: "apple.com", rawId: "a-1", email: "ann@apple.example" }, { providerId: "yahoo.com", rawId: "y-1" }]);
});

test("accounts have a name, providers and claims in words", () => {
  assert.equal(nameOf(person({})), "anonymous");
  assert.equal(nameOf(person({ customAuth: true })), "u1");
  assert.equal(providersOf(person({ providerUserInfo: [{ providerId: "password", rawId: "a" }, { providerId: "google.com", rawId: "b" }] })), "mail link, google");
  assert.equal(claimsOf(person({ customAttributes: '{"role":"editor","teams":[1]}' })), "role: editor, teams: [1]");
  assert.equal(lastSeenAt(person({})), null);
  assert.equal(lastSeenAt(person({ lastLoginAt: "5", lastRefreshAt: "1970-01-01T00:00:00.009Z" })), 9);
});

test("claims that tokens cannot carry are refused before they are sent", () => {
  assert.equal(problemOfClaims('{"role": "editor"}'), null);
  for (const text of ["{", "[]", "null", '{"sub": 1}', JSON.stringify({ a: "x".repeat(1000) })]) assert.ok(problemOfClaims(text), text);
});

test("a receipt has a headline and the outstanding notifications", () => {
  assert.equal(headline(receipt({ milliseconds: { p50: 0.4, p99: 1.3, max: 1.3 } })), "5 of 6 listeners cut, the last after 1.3 ms");
  assert.equal(headline(receipt({ examined: 0, kept: 0, cancelled: 0, sent: 0 })), "No client was connected.");
  assert.equal(outstanding(receipt({})), null);
  assert.match(outstanding(receipt({ isComplete: false, sent: 3, late: 2 }))!, /2 listeners are late/);
  assert.match(outstanding(receipt({ isComplete: false, unanswered: ["n2"] }))!, /No answer from n2/);
});

test("many listeners are drawn as counts on one scale", () => {
  const listeners = [0.1, 0.2, 1.9, 2].map(milliseconds => ({ connection: "c", path: "/a", lastPosition: 1, milliseconds }));
  const many = receipt({ listeners: [...listeners, { connection: "c", path: "/a", lastPosition: 1, outcome: "late" }],
    milliseconds: { p50: 1, p99: 2, max: 2 } });
  assert.equal(scaleEnd(many), 2);
  assert.deepEqual(histogram(many), [1, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
});
