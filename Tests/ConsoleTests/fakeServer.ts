import type { OutlinePage } from "../../Sources/Server/HearthConsole/Page/api/console";
import { isWithinPath, parsePath } from "../../Sources/Server/HearthConsole/Page/tree/keys";
import { fromExport, Json, kindOf, Node, nodeAt, putAt, toExport } from "../../Sources/Server/HearthConsole/Page/tree/node";
import { comparer, Order, Query, sortedKeys } from "../../Sources/Server/HearthConsole/Page/tree/order";
import { ProtocolClient } from "../../Sources/Server/HearthConsole/Page/wire/protocolClient";

interface FakeListen {
  path: string[];
  query: Query | null;
  tag: number | null;
  sent: string;
}

/** A fake server in memory with the parts of the socket protocol and the outline that the tree uses. */
export class FakeServer {
  root: Node | null;
  listens: FakeListen[] = [];
  /** Paths without read permission. */
  unreadablePaths: string[] = [];
  readonly client = new ProtocolClient({ hello: () => {}, shutdown: () => {}, credentialEnded: () => {}, roundTrip: () => {} }, () => 0);

  constructor(json: Json, private readonly bytesPerLeaf = 10) {
    this.root = fromExport(json);
  }

  connect(): void {
    void this.client.connected(text => queueMicrotask(() => this.handle(JSON.parse(text).d)), null);
  }

  write(path: string, json: Json): void {
    this.root = putAt(this.root, parsePath(path), fromExport(json));
    for (const held of this.listens) this.send(held);
  }

  async outline(path: string, order: Order, from: string | undefined, direction: "asc" | "desc", limit: number): Promise<OutlinePage> {
    const node = nodeAt(this.root, parsePath(path));
    let keys = node?.children ? sortedKeys(order, node.children) : [];
    const count = keys.length;
    if (direction === "desc") keys.reverse();
    if (from !== undefined) {
      const compare = comparer(order);
      const held = node!.child(from) ?? new Node("", null);
      keys = keys.filter(key => compare(key, node!.child(key)!, from, held) * (direction === "asc" ? 1 : -1) > 0);
    }
    const rows = keys.slice(0, limit).map(key => {
      const child = node!.child(key)!;
      return { key, kind: kindOf(child), count: child.children?.size ?? 0, bytes: this.bytes(child) };
    });
    return { kind: kindOf(node), count, isExact: true, bytes: node ? this.bytes(node) : 0, hasPriority: false, rows, more: keys.length > limit };
  }

  private bytes(node: Node): number {
    return node.children ? [...node.children.values()].reduce((sum, child) => sum + this.bytes(child), 0) : this.bytesPerLeaf;
  }

  private handle({ r, a, b }: any): void {
    const reply = (status: string, data: Json = {}) => this.client.receive(JSON.stringify({ t: "d", d: { r, b: { s: status, d: data } } }));
    if (a === "n") this.listens = this.listens.filter(held => held.tag !== (b.t ?? null) || held.path.join("/") !== parsePath(b.p).join("/"));
    if (a !== "q") return reply("ok", "");
    const path = parsePath(b.p);
    if (this.unreadablePaths.some(each => isWithinPath(path, parsePath(each)) || isWithinPath(parsePath(each), path))) return reply("permission_denied", "Permission denied");
    const held: FakeListen = { path, query: b.q ?? null, tag: b.t ?? null, sent: "null" };
    this.listens.push(held);
    this.send(held);
    reply("ok");
  }

  private send(held: FakeListen): void {
    const data = JSON.stringify(toExport(this.result(held)));
    if (data === held.sent) return;
    held.sent = data;
    const tag = held.tag === null ? {} : { t: held.tag };
    this.client.receive(JSON.stringify({ t: "d", d: { a: "d", b: { p: held.path.join("/"), d: JSON.parse(data), ...tag } } }));
  }

  private result({ path, query }: FakeListen): Node | null {
    const node = nodeAt(this.root, path);
    if (!query || !node?.children) return query ? null : node;
    const order: Order = query.i === ".key" ? { by: "key" } : query.i === ".value" ? { by: "value" } : query.i ? { by: "child", child: query.i } : { by: "priority" };
    const compare = comparer(order);
    const bound = (value: any, key: string | undefined) => [key ?? String(value), fromExport(value) ?? new Node(null, null)] as const;
    let keys = sortedKeys(order, node.children).filter(key => {
      const child = node.child(key)!;
      if (query.sp !== undefined) {
        const [lowKey, low] = bound(query.sp, query.sn);
        const difference = compare(key, child, lowKey, low);
        if (difference < 0 || (difference === 0 && query.sin === false)) return false;
      }
      if (query.ep !== undefined) {
        const [highKey, high] = bound(query.ep, query.en);
        const difference = compare(key, child, highKey, high);
        if (difference > 0 || (difference === 0 && query.ein === false)) return false;
      }
      return true;
    });
    if (query.l) keys = query.vf === "r" ? keys.slice(-query.l) : keys.slice(0, query.l);
    return keys.length ? new Node(null, new Map(keys.map(key => [key, node.child(key)!]))) : null;
  }
}
