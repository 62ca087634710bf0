import { Path, parsePath, pathText } from "../tree/keys";
import { Json } from "../tree/node";
import { Query } from "../tree/order";
import { Change, Listen, ListenObserver } from "./listen";
import { PING, readMessage, requestText, ServerMessage } from "./messages";
import { SegmentAssembler, segmentsOf } from "./segments";

export interface Reply {
  status: string;
  data: Json;
}

/** A failed request: the status of the protocol and the server's sentence. */
export class ProtocolError extends Error {
  constructor(readonly status: string, message: string) {
    super(message);
  }
}

export interface ProtocolEvents {
  hello(time: number): void;
  shutdown(text: string): void;
  credentialEnded(): void;
  /** The time from a ping to its pong, in milliseconds. */
  roundTrip(milliseconds: number): void;
}

/** The protocol without a socket: texts in, texts out. It outlives its connections, and repeats its listens on each of
    them. */
export class ProtocolClient {
  private send: ((text: string) => void) | null = null;
  private assembler = new SegmentAssembler();
  private nextRequest = 1;
  private nextTag = 1;
  private readonly pending = new Map<number, (reply: Reply) => void>();
  private readonly listens = new Map<string, Listen>();
  private readonly byTag = new Map<number, Listen>();
  private pingedAt: number | null = null;

  constructor(private readonly events: ProtocolEvents, private readonly now: () => number = () => performance.now()) {}

  get isOpen(): boolean {
    return this.send !== null;
  }

  get listenCount(): number {
    return this.listens.size;
  }

  /** Handles the hello of a connection: the credential goes first, then every listen. */
  async connected(send: (text: string) => void, credential: object | null): Promise<void> {
    this.send = send;
    const signedIn = credential ? this.request("gauth", credential) : null;
    for (const listen of this.listens.values()) this.start(listen);
    const reply = await signedIn;
    if (reply && reply.status !== "ok") throw new ProtocolError(reply.status, String(reply.data));
  }

  /** Handles the end of the connection: outstanding requests fail, loaded data stays. */
  closed(): void {
    this.send = null;
    this.assembler = new SegmentAssembler();
    this.pingedAt = null;
    const unanswered = [...this.pending.values()];
    this.pending.clear();
    for (const answer of unanswered) answer({ status: "disconnect", data: "The connection ended before the answer came." });
    for (const listen of this.listens.values()) listen.isReady = false;
  }

  signIn(credential: object): Promise<Reply> {
    return this.request("gauth", credential);
  }

  ping(): void {
    if (!this.send || this.pingedAt !== null) return;
    this.pingedAt = this.now();
    this.send(PING);
  }

  /** Reads the value at a path. */
  async get(path: Path, query: Query | null = null): Promise<Json> {
    return (await this.requestOrThrow("g", { p: pathText(path), q: query ?? {} })).data;
  }

  /** Replaces the value at a path; with a hash only if it is the value's. */
  async put(path: Path, data: Json, hash?: string): Promise<void> {
    await this.requestOrThrow("p", hash === undefined ? { p: pathText(path), d: data } : { p: pathText(path), d: data, h: hash });
  }

  async merge(path: Path, children: { [path: string]: Json }): Promise<void> {
    await this.requestOrThrow("m", { p: pathText(path), d: children });
  }

  /** Listens at a path until the returned function is called. Equal listens share one. */
  listen(path: Path, query: Query | null, observer: ListenObserver): { listen: Listen; stop: () => void } {
    const name = pathText(path) + "\u0000" + (query ? JSON.stringify(query) : "");
    let listen = this.listens.get(name);
    if (!listen) {
      listen = new Listen(path, query, query ? this.nextTag++ : null);
      this.listens.set(name, listen);
      if (listen.tag !== null) this.byTag.set(listen.tag, listen);
      listen.observers.add(observer);
      this.start(listen);
    } else {
      listen.observers.add(observer);
      queueMicrotask(() => shared.isReady && shared.observers.has(observer) && observer.ready?.());
    }
    const shared = listen;
    return { listen: shared, stop: () => this.removeObserver(name, shared, observer) };
  }

  private removeObserver(name: string, listen: Listen, observer: ListenObserver): void {
    if (!listen.observers.delete(observer) || listen.observers.size || this.listens.get(name) !== listen) return;
    this.removeListen(name, listen);
    if (this.send && !listen.refusal) void this.request("n", listen.body());
  }

  private removeListen(name: string, listen: Listen): void {
    this.listens.delete(name);
    if (listen.tag !== null) this.byTag.delete(listen.tag);
  }

  private async start(listen: Listen): Promise<void> {
    if (!this.send) return;
    listen.refusal = null;
    listen.hasData = false;
    const reply = await this.request("q", { ...listen.body(), h: "" });
    if (reply.status === "disconnect" || !listen.observers.size) return;
    if (reply.status !== "ok") return this.refuse(listen, reply.status, String(reply.data ?? reply.status));
    if (!listen.isReady) this.makeReady(listen);
  }

  private makeReady(listen: Listen): void {
    listen.isReady = true;
    if (!listen.hasData) listen.root = null;
    for (const observer of [...listen.observers]) observer.ready?.();
  }

  private refuse(listen: Listen, status: string, reason: string): void {
    listen.refusal = { status, reason };
    listen.isReady = false;
    listen.root = null;
    for (const [name, each] of this.listens) if (each === listen) this.removeListen(name, each);
    for (const observer of [...listen.observers]) observer.refused?.(status, reason);
  }

  private async requestOrThrow(action: string, body: object): Promise<Reply> {
    const reply = await this.request(action, body);
    if (reply.status !== "ok") throw new ProtocolError(reply.status, String(reply.data || reply.status));
    return reply;
  }

  private request(action: string, body: object): Promise<Reply> {
    if (!this.send) return Promise.resolve({ status: "disconnect", data: "There is no connection." });
    const request = this.nextRequest++;
    for (const text of segmentsOf(requestText(request, action, body))) this.send(text);
    return new Promise(answer => this.pending.set(request, answer));
  }

  /** Takes one text of the socket. */
  receive(text: string): void {
    const whole = this.assembler.add(text);
    if (whole !== null) this.handle(readMessage(whole));
  }

  private handle(message: ServerMessage): void {
    switch (message.type) {
      case "hello": return this.events.hello(message.time);
      case "shutdown": return this.events.shutdown(message.text);
      case "credentialEnded": return this.events.credentialEnded();
      case "pong":
        if (this.pingedAt !== null) this.events.roundTrip(this.now() - this.pingedAt);
        this.pingedAt = null;
        return;
      case "reply": {
        const answer = this.pending.get(message.request);
        this.pending.delete(message.request);
        return answer?.({ status: message.status, data: message.data });
      }
      case "data":
        return this.push(message.tag, listen => listen.setData(message.path, message.data));
      case "merge":
        return this.push(message.tag, listen => listen.merge(message.path, message.data));
      case "cancelled": {
        const query = message.query ? canonical(message.query) : null;
        const path = pathText(parsePath(message.path));
        for (const listen of [...this.listens.values()]) {
          const isTarget = query === null ? listen.query === null : listen.query !== null && canonical(listen.query) === query;
          if (isTarget && pathText(listen.path) === path) this.refuse(listen, "permission_denied", "The permission was taken away.");
        }
        return;
      }
    }
  }

  /** Applies a push: with a tag to one listen; without, to each listen without a query that it touches. */
  private push(tag: number | null, apply: (listen: Listen) => Change[]): void {
    const targets = tag === null ? [...this.listens.values()].filter(listen => listen.tag === null) : [this.byTag.get(tag)];
    for (const listen of targets) {
      if (!listen || listen.refusal) continue;
      const changes = apply(listen);
      if (!changes.length || !listen.isReady) continue;
      for (const observer of [...listen.observers]) observer.changed?.(changes);
    }
  }
}

function canonical(query: Query): string {
  return JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1)));
}
