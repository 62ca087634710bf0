import test from "node:test";
import assert from "node:assert/strict";
import { ApiError, ConsoleApi } from "../../Sources/Server/HearthConsole/Page/api/console";

/** Replaces fetch with one that records requests and answers with a status for each path. */
function fakeFetch(answers: { [path: string]: number }): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (address: string, request: RequestInit) => {
    const path = address.replace("/.console/api", "").split("?")[0]!;
    asked.push(`${request.method ?? "GET"} ${path}`);
    const status = answers[path] ?? 200;
    return new Response(status === 200 ? "{}" : JSON.stringify({ error: "The session ended." }), { status });
  }) as typeof fetch;
  return asked;
}

const status = (error: unknown) => error instanceof ApiError ? error.status : 0;

test("after the session has ended no request is sent until there is a session", async () => {
  const answers: { [path: string]: number } = { "/now/figures": 401, "/session": 401 };
  const asked = fakeFetch(answers);
  const api = new ConsoleApi(() => "token");
  let ends = 0;
  api.sessionEnded = () => ends++;
  await assert.rejects(api.request("GET", "/now/figures?peek=1"), error => status(error) === 401);
  for (let turn = 0; turn < 3; turn++) {
    await assert.rejects(api.request("GET", "/now/figures?peek=1"), error => status(error) === 401);
    await assert.rejects(api.events(new URLSearchParams(), new AbortController().signal), error => status(error) === 401);
    await assert.rejects(api.requestAdministrationText(".settings/rules.json"), error => status(error) === 401);
  }
  assert.equal(ends, 1);
  assert.deepEqual(asked, ["GET /now/figures"]);
  await assert.rejects(api.session(true), error => status(error) === 401);
  await assert.rejects(api.request("GET", "/databases"));
  assert.deepEqual(asked, ["GET /now/figures", "GET /session"]);
  Object.assign(answers, { "/now/figures": 200, "/session": 200 });
  await api.session(false);
  await api.request("GET", "/now/figures?peek=1");
  assert.deepEqual(asked.slice(2), ["GET /session", "GET /now/figures"]);
});

test("a refusal for another reason does not end the session", async () => {
  const asked = fakeFetch({ "/databases": 403 });
  const api = new ConsoleApi(() => "token");
  api.sessionEnded = () => assert.fail("it did not end");
  await assert.rejects(api.databases(), error => status(error) === 403);
  await assert.rejects(api.databases(), error => status(error) === 403);
  assert.equal(asked.length, 2);
});

test("a request that needs presence is repeated after the proof", async () => {
  const answers: { [path: string]: number } = { "/server/.settings/rules.json": 428 };
  const asked = fakeFetch(answers);
  const api = new ConsoleApi(() => "token");
  api.requestPresence = async () => {
    delete answers["/server/.settings/rules.json"];
    return true;
  };
  await api.requestAdministration("PUT", ".settings/rules.json", {});
  assert.deepEqual(asked, ["PUT /server/.settings/rules.json", "PUT /server/.settings/rules.json"]);
});
