import assert from "node:assert/strict";
import test from "node:test";
import { Branch } from "../../Sources/Server/HearthConsole/Page/data/branch";
import { lineAt, lineOf, NodeLine } from "../../Sources/Server/HearthConsole/Page/data/line";
import { TreeModel } from "../../Sources/Server/HearthConsole/Page/data/model";
import type { Gap } from "../../Sources/Server/HearthConsole/Page/data/branch";
import { ChildGap } from "../../Sources/Server/HearthConsole/Page/data/window";
import { compareKeys, pathText } from "../../Sources/Server/HearthConsole/Page/tree/keys";
import { Json, nodeAt } from "../../Sources/Server/HearthConsole/Page/tree/node";
import { sortedKeys } from "../../Sources/Server/HearthConsole/Page/tree/order";
import { FakeServer } from "./fakeServer";

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(done => setImmediate(done));
};

async function open(json: Json, options: { bytes?: number; as?: boolean; closed?: string[] } = {}) {
  const server = new FakeServer(json, options.bytes);
  server.unreadablePaths = options.closed ?? [];
  server.connect();
  const host = {
    outline: server.outline.bind(server), structureChanged: () => {}, rowsChanged: () => {},
    say: (text: string) => assert.fail(text),
  };
  const model = new TreeModel(server.client, host, options.as ?? false);
  await model.root.load();
  return { server, model };
}

function lines(model: TreeModel) {
  return Array.from({ length: model.root.lineCount }, (_, at) => lineAt(model.root, at)!);
}

function names(model: TreeModel): string[] {
  return lines(model).map(line => (line.type === "node" ? pathText(line.path) : line.type));
}

async function expand(model: TreeModel, path: string[]): Promise<Branch> {
  const branch = await model.expand(model.lineFor(path)!);
  await settle();
  return branch;
}

const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => ["k" + String(at).padStart(6, "0"), at]));

/** Checks the invariants of a tree. */
function check(model: TreeModel, server: FakeServer): void {
  const all = lines(model);
  all.forEach((line, at) => {
    if (line.type === "node") assert.equal(lineOf(model.root, line.path), at, `${pathText(line.path)} stands at ${at}`);
  });
  const walk = (branch: Branch) => {
    const node = nodeAt(server.root, branch.path);
    const keys = branch.windows.flatMap(window => window.keys);
    assert.deepEqual([...new Set(keys)], keys, "no row stands twice");
    assert.deepEqual([...keys].sort(compareKeys), keys, "rows are in order");
    const there = sortedKeys(branch.order, node?.children ?? new Map());
    for (const window of branch.windows) {
      const first = window.keys[0];
      const last = window.keys[window.keys.length - 1];
      if (first === undefined) continue;
      assert.deepEqual(window.keys, there.filter(key => compareKeys(key, first) >= 0 && compareKeys(key, last!) <= 0), "a window has no holes");
    }
    if (!branch.hasGaps) assert.deepEqual(keys, there, "without a gap all rows are there");
    for (const window of branch.windows) window.open.forEach(walk);
  };
  walk(model.root);
}

test("a small database is one listen, and all below it is live", async () => {
  const { server, model } = await open({ a: { b: { c: 1 } }, d: 2 });
  await settle();
  assert.equal(server.listens.length, 1);
  await expand(model, ["a"]);
  await expand(model, ["a", "b"]);
  assert.equal(server.listens.length, 1);
  assert.deepEqual(names(model), ["/a", "/a/b", "/a/b/c", "/d"]);
  server.write("/a/b/x", 3);
  server.write("/0", true);
  assert.deepEqual(names(model), ["/0", "/a", "/a/b", "/a/b/c", "/a/b/x", "/d"]);
  server.write("/a", 5);
  assert.deepEqual(names(model), ["/0", "/a", "/d"]);
  assert.equal(model.lineFor(["a"])!.node!.value, 5);
  check(model, server);
});

test("a large node is a window and a gap, and gaps close when all is loaded", async () => {
  const { server, model } = await open({ big: numbered(500), z: 1 }, { bytes: 1000 });
  const branch = await expand(model, ["big"]);
  assert.equal(branch.count, 500);
  assert.deepEqual([branch.loaded, branch.hasGaps], [200, true]);
  await branch.fill(branch.parts.find((part): part is Gap => part instanceof ChildGap)!, "above");
  await branch.fill(branch.parts.find((part): part is Gap => part instanceof ChildGap)!, "above");
  await settle();
  assert.deepEqual([branch.loaded, branch.hasGaps], [500, false]);
  server.write("/big/k000200x", 1);
  server.write("/big/zzz", 1);
  assert.equal(branch.loaded, 502);
  check(model, server);
});

test("a key in the middle is loaded with what follows, and gaps stand on both sides", async () => {
  const { server, model } = await open({ big: numbered(5000) }, { bytes: 1000 });
  assert.equal(await model.reveal(["big", "k002500"]), true);
  await settle();
  const branch = model.branchAt(["big"])!;
  assert.deepEqual(branch.parts.map(part => (part instanceof ChildGap ? "gap" : part.keys[0])), ["k000000", "gap", "k002500", "gap"]);
  assert.equal(model.lineFor(["big", "k002500"])!.position, 0);
  const gap = branch.parts[1] as Gap;
  await branch.fill(gap, "below");
  await settle();
  assert.equal(branch.windows[1]!.keys[0], "k002300");
  check(model, server);
  assert.equal(await model.reveal(["big", "nothing"]), false);
});

test("rows with large values listen one by one, while they are visible", async () => {
  const { server, model } = await open({ big: numbered(300) }, { bytes: 3000 });
  const branch = await expand(model, ["big"]);
  assert.equal(branch.windows[0]!.source, "rows");
  const before = server.listens.length;
  const shown = lines(model).filter((line): line is NodeLine => line.type === "node" && line.depth === 1).slice(0, 30);
  model.show(shown, 0);
  await settle();
  assert.equal(server.listens.length - before, 30);
  assert.equal(model.lineFor(["big", "k000003"])!.node!.value, 3);
  server.write("/big/k000003", "new");
  assert.equal(model.valueAt(["big", "k000003"])!.value, "new");
  model.show([], 10_000);
  await settle();
  assert.equal(server.listens.length, before);
});

test("at most three windows of a node listen", async () => {
  const { server, model } = await open({ big: numbered(3000) }, { bytes: 1000 });
  const branch = await expand(model, ["big"]);
  for (let page = 0; page < 6; page++) await branch.fill(branch.parts[branch.parts.length - 1] as Gap, "above");
  await settle();
  const last = lines(model).filter(line => line.type === "node").slice(-20);
  model.show(last, performance.now() + 1000);
  await settle();
  assert.ok(branch.windows.filter(window => window.isListening).length <= 3);
  assert.ok(branch.windows[branch.windows.length - 1]!.isListening);
  check(model, server);
});

test("with too many open lines the branch seen longest ago closes", async () => {
  const { server, model } = await open({ a: numbered(9000), b: numbered(9000), c: numbered(9000) }, { bytes: 1 });
  await expand(model, ["a"]);
  model.branchAt(["a"])!.windows[0]!.seenAt = 1;
  await expand(model, ["b"]);
  model.branchAt(["b"])!.windows[0]!.seenAt = 2;
  await expand(model, ["c"]);
  assert.deepEqual(model.openPaths(), [["b"], ["c"]]);
  check(model, server);
});

test("push ids are shown from the newest", async () => {
  const ids = Object.fromEntries(Array.from({ length: 400 }, (_, at) => ["-P71cMk3SYTEeL_u" + String(at).padStart(4, "0"), at]));
  const { server, model } = await open({ log: ids }, { bytes: 1000 });
  const branch = await expand(model, ["log"]);
  assert.equal(branch.end, "last");
  assert.ok(branch.parts[0] instanceof ChildGap);
  server.write("/log/-P71cMk3SYTEeL_u9999", 1);
  assert.equal(branch.windows[0]!.keys[branch.windows[0]!.keys.length - 1], "-P71cMk3SYTEeL_u9999");
  check(model, server);
});

test("a node of few push ids is shown from the newest, and one of other keys from the first", async () => {
  const ids = Object.fromEntries(Array.from({ length: 30 }, (_, at) => ["-P71cMk3SYTEeL_u" + String(at).padStart(4, "0"), { text: at }]));
  for (const bytes of [1, 20_000]) {
    const { server, model } = await open({ log: ids, names: numbered(30) }, { bytes });
    await settle();
    assert.deepEqual([(await expand(model, ["log"])).end, (await expand(model, ["names"])).end], ["last", "first"]);
    assert.equal(names(model)[1], "/log/-P71cMk3SYTEeL_u0000");
    check(model, server);
  }
});

test("a change that a row and a window tell of is listed once", async () => {
  const { server, model } = await open({ big: { a: 1, b: 2 }, other: numbered(40) }, { bytes: 10_000 });
  await settle();
  model.show(lines(model), 0);
  await expand(model, ["big"]);
  model.show(lines(model), 0);
  await settle();
  server.write("/big/a", 5);
  await settle();
  assert.deepEqual(model.log.below([], 50).map(each => `${pathText(each.path)} ${each.text}`), ["/big/a 1 → 5"]);
});

test("a node that the identity may not read is read row by row", async () => {
  const { server, model } = await open({ open: { a: 1 }, secret: { b: 2 } }, { as: true, closed: ["/secret/b"] });
  await settle();
  assert.equal(model.root.windows[0]!.source, "rows");
  model.show(lines(model), 0);
  await settle();
  assert.equal(model.rowListens.accessOf("/open")!.access, "readable");
  assert.equal(model.rowListens.accessOf("/secret")!.access, "hidden");
  assert.equal(model.lineFor(["secret"])!.node, null);
  server.unreadablePaths = [];
  model.show(lines(model), 4000);
  await settle();
  assert.equal(model.rowListens.accessOf("/secret")!.access, "readable");
});

test("random writes, fills and jumps keep the tree in order", async () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 12; round++) {
    const { server, model } = await open({ big: numbered(1000), small: { a: 1 } }, { bytes: 1000 });
    const branch = await expand(model, ["big"]);
    await expand(model, ["small"]);
    for (let step = 0; step < 60; step++) {
      const key = "k" + String(random(1200)).padStart(6, "0");
      const gaps = branch.parts.filter((part): part is Gap => part instanceof ChildGap);
      switch (random(6)) {
        case 0: server.write("/big/" + key + "x", step); break;
        case 1: server.write("/big/" + key, null); break;
        case 2: server.write("/small/" + random(20), random(2) ? step : null); break;
        case 3: server.write("/big/" + key, { deep: { er: step } }); break;
        case 4: if (gaps.length) await branch.fill(gaps[random(gaps.length)]!, random(2) ? "above" : "below"); break;
        case 5: await model.jump(branch, key); break;
      }
      await settle();
      for (const window of branch.windows) window.listen();
      await settle();
      check(model, server);
    }
  }
});
