import { ProtocolClient } from "./protocolClient";

/** The displayed state of a database connection. */
export type ConnectionState =
  | { name: "connecting" }
  | { name: "live"; since: number }
  | { name: "offline"; since: number; nextTry: number }
  | { name: "stopped"; reason: string };

export interface SocketLike {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

export interface Credential {
  /** The body of the sign-in message. */
  body: object;
  expiresInSeconds: number;
}

const DELAY_FIRST = 500;
const DELAY_FACTOR = 1.6;
const DELAY_MAXIMUM = 15_000;
const PING_EVERY = 10_000;
/** The time after a ping after which a silent connection is closed. */
const SILENCE_MAXIMUM = 25_000;

/** The connection of a ``ProtocolClient``: it dials, signs in, renews the credential, and reconnects with growing delays. */
export class DatabaseConnection {
  readonly client: ProtocolClient;
  state: ConnectionState = { name: "connecting" };
  roundTrip: number | null = null;
  private socket: SocketLike | null = null;
  /** The credential that is requested while the socket is dialled. */
  private pendingCredential: Promise<Credential> | null = null;
  private delay = DELAY_FIRST;
  private lostAt: number | null = null;
  private receivedAt = 0;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private renewTimer: ReturnType<typeof setTimeout> | undefined;
  private pingTimer: ReturnType<typeof setInterval> | undefined;
  private isEnded = false;

  constructor(
    private readonly dial: () => SocketLike,
    private readonly credential: () => Promise<Credential>,
    private readonly changed: () => void,
  ) {
    this.client = new ProtocolClient({
      hello: () => void this.signIn(),
      shutdown: text => this.stop(text),
      credentialEnded: () => this.drop(),
      roundTrip: milliseconds => {
        this.roundTrip = milliseconds;
        this.changed();
      },
    });
  }

  connect(): void {
    if (this.isEnded || this.socket) return;
    clearTimeout(this.retryTimer);
    const socket = this.dial();
    this.socket = socket;
    this.pendingCredential = this.credential();
    this.pendingCredential.catch(() => {});
    socket.onmessage = event => {
      if (this.socket !== socket) return;
      this.receivedAt = Date.now();
      this.client.receive(String(event.data));
    };
    socket.onclose = () => this.connectionLost(socket);
  }

  /** Ends the connection for good. */
  end(): void {
    this.isEnded = true;
    clearTimeout(this.retryTimer);
    this.drop();
  }

  private stop(reason: string): void {
    this.isEnded = true;
    this.drop();
    this.set({ name: "stopped", reason });
  }

  private async signIn(): Promise<void> {
    const socket = this.socket;
    try {
      const credential = await (this.pendingCredential ?? this.credential());
      this.pendingCredential = null;
      if (this.socket !== socket || !socket) return;
      await this.client.connected(text => socket.send(text), credential.body);
      if (this.socket !== socket) return;
      this.delay = DELAY_FIRST;
      this.lostAt = null;
      this.renewLater(credential.expiresInSeconds);
      this.pingTimer = setInterval(() => this.checkLiveness(), PING_EVERY);
      this.set({ name: "live", since: Date.now() });
      this.client.ping();
    } catch {
      if (this.socket === socket) this.drop();
    }
  }

  private checkLiveness(): void {
    if (Date.now() - this.receivedAt > SILENCE_MAXIMUM) return this.drop();
    this.client.ping();
  }

  private renewLater(expiresInSeconds: number): void {
    clearTimeout(this.renewTimer);
    this.renewTimer = setTimeout(() => void this.renew(), expiresInSeconds * 700);
  }

  private async renew(): Promise<void> {
    try {
      const credential = await this.credential();
      if (!this.client.isOpen) return;
      const reply = await this.client.signIn(credential.body);
      if (reply.status === "ok") this.renewLater(credential.expiresInSeconds);
      else this.drop();
    } catch {
      // The session has ended or the server is unreachable: an open socket ends with its credential.
    }
  }

  private drop(): void {
    const socket = this.socket;
    if (!socket) return;
    this.connectionLost(socket);
    socket.close();
  }

  private connectionLost(socket: SocketLike): void {
    if (this.socket !== socket) return;
    this.socket = null;
    clearTimeout(this.renewTimer);
    clearInterval(this.pingTimer);
    this.client.closed();
    this.roundTrip = null;
    if (this.isEnded) return;
    this.lostAt ??= Date.now();
    const delay = this.delay * (0.75 + Math.random() / 2);
    this.delay = Math.min(this.delay * DELAY_FACTOR, DELAY_MAXIMUM);
    this.retryTimer = setTimeout(() => this.connect(), delay);
    this.set({ name: "offline", since: this.lostAt, nextTry: Date.now() + delay });
  }

  /** Reconnects at once, at the user's request. */
  tryNow(): void {
    if (this.state.name === "offline") this.connect();
  }

  private set(state: ConnectionState): void {
    this.state = state;
    this.changed();
  }
}
