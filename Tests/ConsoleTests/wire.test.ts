import assert from "node:assert/strict";
import test from "node:test";
import { Change } from "../../Sources/Server/HearthConsole/Page/wire/listen";
import { segmentsOf, SegmentAssembler } from "../../Sources/Server/HearthConsole/Page/wire/segments";
import { ProtocolClient, ProtocolError } from "../../Sources/Server/HearthConsole/Page/wire/protocolClient";
import { toExport } from "../../Sources/Server/HearthConsole/Page/tree/node";
import { EventStreamParser } from "../../Sources/Server/HearthConsole/Page/api/events";

const later = () => new Promise(done => setTimeout(done));

/** A wire with the test as the other end. */
class Talk {
  sent: any[] = [];
  hello = 0;
  ended = 0;
  readonly wire = new ProtocolClient({ hello: () => this.hello++, shutdown: () => {}, credentialEnded: () => this.ended++, roundTrip: () => {} }, () => 0);

  open(): void {
    void this.wire.connected(text => this.sent.push(JSON.parse(text)), { cred: "x" });
    this.reply("ok");
  }

  get last(): any {
    return this.sent[this.sent.length - 1].d;
  }

  reply(status: string, data: unknown = "", request = this.last.r): void {
    this.wire.receive(JSON.stringify({ t: "d", d: { r: request, b: { s: status, d: data } } }));
  }

  push(action: string, body: object): void {
    this.wire.receive(JSON.stringify({ t: "d", d: { a: action, b: body } }));
  }
}

class Seen {
  ready = 0;
  changes: Change[] = [];
  refusals: string[] = [];
  observer = {
    ready: () => void this.ready++,
    changed: (changes: Change[]) => void this.changes.push(...changes),
    refused: (status: string) => void this.refusals.push(status),
  };
}

test("long messages travel in pieces, and none ends inside a surrogate pair", () => {
  const long = "x".repeat(16383) + "🐵" + "y".repeat(20000);
  const [count, ...pieces] = segmentsOf(long);
  assert.equal(Number(count), pieces.length);
  assert.ok(pieces.every(piece => piece.length <= 16384 && !/[\ud800-\udbff]$/.test(piece)));
  const assembler = new SegmentAssembler();
  const whole = [count!, ...pieces].map(text => assembler.add(text)).filter(text => text !== null);
  assert.deepEqual(whole, [long]);
  assert.deepEqual(segmentsOf("short"), ["short"]);
});

test("the credential goes first, then every listen, again on each connection", async () => {
  const talk = new Talk();
  const seen = new Seen();
  talk.wire.listen(["a"], null, seen.observer);
  assert.equal(talk.sent.length, 0);
  talk.wire.connected(text => talk.sent.push(JSON.parse(text)), { cred: "c" }).catch(() => {});
  assert.deepEqual(talk.sent.map(each => each.d.a), ["gauth", "q"]);
  assert.deepEqual(talk.last.b, { p: "/a", h: "" });
  talk.push("d", { p: "a", d: { b: 1 } });
  talk.reply("ok", {});
  await later();
  assert.equal(seen.ready, 1);
  assert.equal(seen.changes.length, 0);
  talk.wire.closed();
  talk.sent = [];
  talk.wire.connected(text => talk.sent.push(JSON.parse(text)), { cred: "c" }).catch(() => {});
  assert.deepEqual(talk.sent.map(each => each.d.a), ["gauth", "q"]);
  talk.reply("ok", {});
  await later();
  assert.equal(seen.ready, 2);
});

test("an empty place sends nothing, and what was held before is gone", async () => {
  const talk = new Talk();
  talk.open();
  const { listen } = talk.wire.listen(["a"], null, {});
  talk.push("d", { p: "a", d: 1 });
  talk.reply("ok", {});
  await later();
  assert.equal(toExport(listen.root), 1);
  talk.wire.closed();
  void talk.wire.connected(text => talk.sent.push(JSON.parse(text)), null);
  talk.reply("ok", {});
  await later();
  assert.equal(listen.root, null);
});

test("pushes with a tag are for one listen, others for every plain listen that they touch", async () => {
  const talk = new Talk();
  talk.open();
  const [tagged, plain, deep] = [new Seen(), new Seen(), new Seen()];
  const first = talk.wire.listen(["a"], { i: ".key", l: 2, vf: "l" }, tagged.observer);
  talk.reply("ok", {});
  const second = talk.wire.listen(["a"], null, plain.observer);
  talk.reply("ok", {});
  const third = talk.wire.listen(["a", "x"], null, deep.observer);
  talk.reply("ok", {});
  await later();
  const tag = first.listen.tag;
  talk.push("m", { p: "a", d: { x: 1, "y/z": 2 }, t: tag });
  assert.deepEqual(JSON.parse(JSON.stringify(toExport(first.listen.root))), { x: 1, y: { z: 2 } });
  assert.deepEqual(tagged.changes.map(each => each.path), [["x"], ["y", "z"]]);
  assert.equal(second.listen.root, null);
  talk.push("d", { p: "a", d: { x: 5 } });
  assert.equal(toExport(third.listen.root), 5);
  assert.deepEqual(deep.changes, [{ path: [], before: null }]);
  talk.push("d", { p: "other", d: 1 });
  assert.equal(plain.changes.length, 1);
});

test("equal listens share one, and the last to leave ends it", async () => {
  const talk = new Talk();
  talk.open();
  const one = talk.wire.listen(["a"], null, {});
  talk.reply("ok", {});
  await later();
  const seen = new Seen();
  const two = talk.wire.listen(["a"], null, seen.observer);
  assert.equal(one.listen, two.listen);
  assert.equal(seen.ready, 0, "an observer is told after it has what it asked for");
  await later();
  assert.equal(seen.ready, 1);
  one.stop();
  assert.notEqual(talk.last.a, "n");
  two.stop();
  assert.deepEqual([talk.last.a, talk.last.b], ["n", { p: "/a" }]);
  assert.equal(talk.wire.listenCount, 0);
});

test("a refused or cancelled listen notifies its observers", async () => {
  const talk = new Talk();
  talk.open();
  const refused = new Seen();
  talk.wire.listen(["a"], null, refused.observer);
  talk.reply("permission_denied", "Permission denied");
  await later();
  assert.deepEqual(refused.refusals, ["permission_denied"]);
  const cut = new Seen();
  const kept = new Seen();
  talk.wire.listen(["b"], { l: 2, vf: "l", i: ".key" }, cut.observer);
  talk.reply("ok", {});
  talk.wire.listen(["b"], null, kept.observer);
  talk.reply("ok", {});
  await later();
  talk.push("c", { p: "b", q: [{ i: ".key", l: 2, vf: "l" }] });
  assert.deepEqual([cut.refusals.length, kept.refusals.length], [1, 0]);
  talk.push("c", { p: "b" });
  assert.equal(kept.refusals.length, 1);
});

test("a write carries the hash of the displayed value, and a stale write fails", async () => {
  const talk = new Talk();
  talk.open();
  const put = talk.wire.put(["a"], 1, "HASH");
  assert.deepEqual(talk.last.b, { p: "/a", d: 1, h: "HASH" });
  talk.reply("datastale", "changed");
  await assert.rejects(put, (error: ProtocolError) => error.status === "datastale");
  const lost = talk.wire.put(["a"], 2);
  talk.wire.closed();
  await assert.rejects(lost, (error: ProtocolError) => error.status === "disconnect");
});

test("an event stream is cut into events wherever its pieces end", () => {
  const reader = new EventStreamParser();
  const text = ": hello\n\nevent: pulse\ndata: {\"a\":1}\n\nevent: gap\r\ndata: x\r\ndata: y\r\n\r\n";
  const found = [...text].flatMap(piece => reader.parse(piece));
  assert.deepEqual(found, [{ event: "pulse", data: '{"a":1}' }, { event: "gap", data: "x\ny" }]);
});
