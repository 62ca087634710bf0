import { Kind } from "../tree/node";
import { Order } from "../tree/order";

/** A failed call of the console's endpoints, with the server's sentence. */
export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** Returns true when a request failed because the server, or a proxy before it, does not answer: it may soon do so. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ApiError && [502, 503, 504].includes(error.status);
}

/** The permissions of a session. */
export type Role = "administrator" | "viewer";

export interface SessionResponse {
  token?: string;
  role: Role;
  name: string;
  endsInSeconds: number;
  idleSeconds: number;
  version?: string;
  emulator?: boolean;
}

export interface DatabaseEntry {
  name: string;
  isDefault: boolean;
  /** The path of the rules file that the server deploys to this database at each start; absent when there is none. */
  rulesPath?: string;
}

export interface OutlineRow {
  key: string;
  kind: Kind;
  count: number;
  bytes: number;
}

export interface OutlinePage {
  kind: Kind;
  count: number;
  isExact: boolean;
  bytes: number;
  hasPriority: boolean;
  rows: OutlineRow[];
  more: boolean;
}

export interface OutlineQuery {
  order?: Order;
  from?: string;
  direction?: "asc" | "desc";
  limit?: number;
  /** True for a request of the page itself, which does not count as use of the session. */
  isBackground?: boolean;
}

export interface RulesProblem {
  line: number;
  column: number;
  severity: "error" | "warning" | "info";
  code: string | null;
  message: string;
  help: string | null;
}

const BASE = "/.console/api";
const SESSION = "/session";

export class ConsoleApi {
  /** Called once a request found that the session has ended. */
  sessionEnded: () => void = () => {};

  /** Asks the user for a proof of presence; resolves to false when there is none. */
  requestPresence: () => Promise<boolean> = () => Promise.resolve(false);

  /** True when the server reported that there is no session: until there is one, only the session is requested. */
  private hasEnded = false;

  constructor(private readonly token: () => string | null) {}

  signIn(by: { key: string } | { idToken: string }): Promise<SessionResponse> {
    return this.markStarted(this.call("POST", SESSION, by));
  }

  session(peek: boolean): Promise<SessionResponse> {
    return this.markStarted(this.call("GET", SESSION + (peek ? "?peek=1" : "")));
  }

  /** Sends a proof that the session's user is present. */
  provePresence(by: { key: string } | { idToken: string }): Promise<unknown> {
    return this.call("POST", "/session/presence", by);
  }

  signOut(): Promise<unknown> {
    return this.call("DELETE", SESSION);
  }

  async databases(): Promise<DatabaseEntry[]> {
    return (await this.call<{ databases: DatabaseEntry[] }>("GET", "/databases")).databases;
  }

  credential(database: string): Promise<{ credential: string; expiresInSeconds: number }> {
    return this.call("POST", "/credential", { database });
  }

  outline(database: string, path: string, query: OutlineQuery): Promise<OutlinePage> {
    const parameters = new URLSearchParams({ ns: database, path });
    if (query.order) {
      parameters.set("order", query.order.by);
      if (query.order.by === "child") parameters.set("child", query.order.child);
    }
    if (query.from !== undefined) parameters.set("from", query.from);
    parameters.set("dir", query.direction ?? "asc");
    parameters.set("limit", String(query.limit ?? 200));
    if (query.isBackground) parameters.set("peek", "1");
    return this.call("GET", "/outline?" + parameters);
  }

  /** Returns the problems of a rules file. */
  async checkRules(source: string): Promise<RulesProblem[]> {
    return (await this.call<{ problems: RulesProblem[] }>("POST", "/rules/check", { source })).problems;
  }

  /** Calls an endpoint of a view. */
  request<Answer>(method: "GET" | "POST", path: string, body?: object): Promise<Answer> {
    return this.call(method, path, body);
  }

  /** Calls an endpoint of the server's administration, by its path. */
  requestAdministration<Answer>(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<Answer> {
    return this.call(method, "/server/" + path, body);
  }

  /** Calls an endpoint of the server's administration whose response is not JSON, or JSON with comments. */
  async requestAdministrationText(path: string): Promise<string> {
    const response = await this.fetch(`/server/${path}`, {});
    if (!response.ok) throw await this.failure(response);
    return response.text();
  }

  /** Opens a stream of events. It is read with `fetch`, for an EventSource sends no header. */
  events(query: URLSearchParams, signal: AbortSignal): Promise<Response> {
    return this.fetch(`/events?${query}`, { signal });
  }

  private headers(): Record<string, string> {
    const token = this.token();
    return token ? { "X-Hearth-Console": token } : {};
  }

  private async call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers: Record<string, string> = body ? { "Content-Type": "application/json" } : {};
    const response = await this.fetch(path, { method, headers, body: body && JSON.stringify(body) });
    if (response.ok) return response.json().catch(() => null) as Promise<Answer>;
    if (response.status === 428 && await this.requestPresence()) return this.call(method, path, body);
    throw await this.failure(response);
  }

  private async fetch(path: string, init: RequestInit): Promise<Response> {
    const isSession = path.split("?")[0] === SESSION;
    if (this.hasEnded && !isSession) throw new ApiError(401, "The session ended.");
    const response = await fetch(BASE + path, { ...init, headers: { ...init.headers, ...this.headers() }, cache: "no-store" });
    if (response.status === 401) {
      this.hasEnded = true;
      if (!isSession) this.sessionEnded();
    }
    return response;
  }

  private async markStarted(answer: Promise<SessionResponse>): Promise<SessionResponse> {
    const session = await answer;
    this.hasEnded = false;
    return session;
  }

  private async failure(response: Response): Promise<ApiError> {
    const answer = await response.json().catch(() => null);
    const text = typeof answer?.error === "string" ? answer.error : answer?.error?.message;
    return new ApiError(response.status, text ?? `The server answered ${response.status}.`);
  }
}
