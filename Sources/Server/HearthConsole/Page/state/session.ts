import { ApiError, ConsoleApi, isUnreachable, Role, SessionResponse } from "../api/console";
import { Store } from "./store";

const TOKEN = "hearth-console-token";
/** The interval at which the server is told that the user is active. */
const REPORT_MILLISECONDS = 60_000;
const RETRY_MILLISECONDS = 2000;

export type SessionState =
  | { name: "opening"; isReconnecting?: boolean }
  | { name: "out"; problem: string | null }
  | { name: "in"; role: Role; person: string; endsAt: number; idleEndsAt: number; version: string; emulator: boolean }
  | { name: "ended"; person: string; reason: string };

/** The session of this tab. One half of its secret is a cookie, the other is kept here; each is useless alone. */
export class Session extends Store {
  state: SessionState = { name: "opening" };
  readonly api = new ConsoleApi(() => readToken());
  /** True when the server runs another version of Hearth than this page. */
  isUpdated = false;
  /** The number of sessions that were opened here. */
  generation = 0;
  /** The address before a link was opened over it. */
  address = location.hash.startsWith("#/") ? location.hash.slice(1) : "";
  private version: string | null = null;
  /** True while the user signs out: the page itself makes no more requests. */
  isEnding = false;
  private person = "";
  /** The role of this session, or of the one that has ended. */
  role: Role = "viewer";
  private usedAt = Date.now();
  private reportedAt = Date.now();

  constructor() {
    super();
    this.api.sessionEnded = () => this.end("It has ended, or another link was opened in this browser.");
    // Scrolling by wheel or finger counts as use; a list that scrolls by itself does not.
    for (const event of ["pointerdown", "keydown", "wheel", "touchmove"]) addEventListener(event, () => (this.usedAt = Date.now()), { passive: true });
    addEventListener("hashchange", () => this.addressChanged());
    setInterval(() => void this.refresh(), 20_000);
  }

  /** Signs in by the link that the page was opened with, or continues the existing session. */
  async open(): Promise<void> {
    const key = keyOf(location.hash);
    // The key is valid once, and is removed from the history before its use.
    if (key !== null) history.replaceState(null, "", location.pathname + "#" + (this.address || "/data"));
    const before = this.state;
    try {
      if (key !== null) return this.update(await this.api.signIn({ key }));
      if (readToken() === null) return this.set({ name: "out", problem: null });
      this.update(await this.api.session(false));
    } catch (error) {
      // A restarting server has the session still.
      if (key === null && before.name === "opening" && isUnreachable(error)) {
        setTimeout(() => void this.open(), RETRY_MILLISECONDS);
        return this.set({ name: "opening", isReconnecting: true });
      }
      const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
      if (before.name === "in" || before.name === "ended") return this.set({ name: "ended", person: this.person,
        reason: errorText(error) });
      this.set({ name: "out", problem: key !== null || !isRefused ? errorText(error) : null });
    }
  }

  /** Handles a link that is opened over this page, which changes its fragment alone. */
  private addressChanged(): void {
    if (keyOf(location.hash) !== null) void this.open();
    else this.address = location.hash.slice(1);
  }

  async signIn(idToken: string): Promise<void> {
    this.update(await this.api.signIn({ idToken }));
  }

  async signOut(): Promise<void> {
    this.isEnding = true;
    await this.api.signOut().catch(() => {});
    localStorage.removeItem(TOKEN);
    this.set({ name: "out", problem: null });
  }

  end(reason: string): void {
    if (this.state.name === "in") this.set({ name: "ended", person: this.person, reason });
  }

  /** True when a session may exist: requests can begin before the response. */
  get mayBeOpen(): boolean {
    return readToken() !== null || keyOf(location.hash) !== null;
  }

  get isViewer(): boolean {
    return this.state.name === "in" && this.state.role === "viewer";
  }

  /** The reason why this session is read-only, or null. */
  get readOnlyReason(): string | null {
    return this.isViewer ? "This session is read-only." : null;
  }

  /** Returns the whole seconds until the session ends in any case. */
  secondsLeft(now: number): number {
    return this.state.name === "in" ? Math.max(0, Math.round((this.state.endsAt - now) / 1000)) : 0;
  }

  /** Returns the whole seconds until it ends unless it is used. */
  secondsLeftIdle(now: number): number {
    return this.state.name === "in" ? Math.max(0, Math.round((Math.min(this.state.endsAt, this.state.idleEndsAt) - now) / 1000)) : 0;
  }

  async extend(): Promise<void> {
    this.reportedAt = Date.now();
    this.update(await this.api.session(false));
  }

  private async refresh(): Promise<void> {
    if (this.state.name !== "in") return;
    const now = Date.now();
    const isUsed = this.usedAt > this.reportedAt && now - this.reportedAt > REPORT_MILLISECONDS;
    if (isUsed) this.reportedAt = now;
    try {
      this.update(await this.api.session(!isUsed));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.end(this.secondsLeft(now) <= 0 ? "Its time is up."
        : "It was idle for too long, or was ended elsewhere.");
    }
  }

  private update(answer: SessionResponse): void {
    if (answer.token) {
      localStorage.setItem(TOKEN, answer.token);
      this.generation++;
    }
    this.person = answer.name;
    this.role = answer.role;
    this.isEnding = false;
    if (answer.version) {
      this.isUpdated = this.version !== null && this.version !== answer.version;
      this.version ??= answer.version;
    }
    this.set({
      name: "in", role: answer.role, person: answer.name, idleEndsAt: Date.now() + answer.idleSeconds * 1000,
      endsAt: Date.now() + answer.endsInSeconds * 1000, version: answer.version ?? "", emulator: answer.emulator ?? false,
    });
  }

  private set(state: SessionState): void {
    this.state = state;
    this.publish();
  }
}

function keyOf(fragment: string): string | null {
  const key = /^#key=(.+)$/.exec(fragment)?.[1];
  return key === undefined ? null : decodeURIComponent(key);
}

function readToken(): string | null {
  return localStorage.getItem(TOKEN);
}

export function errorText(error: unknown): string {
  if (error instanceof TypeError) return "The server does not answer.";
  return error instanceof Error ? error.message : String(error);
}
