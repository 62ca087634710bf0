import { ConsoleApi } from "../api/console";
import { Receipt } from "../receipts/receipt";
import { Explanation } from "../why/explanation";
import { Sorting } from "../widgets/table";

export interface Person {
  localId: string;
  email?: string;
  emailVerified?: boolean;
  displayName?: string;
  phoneNumber?: string;
  photoUrl?: string;
  disabled?: boolean;
  customAuth?: boolean;
  emailLinkSignin?: boolean;
  customAttributes?: string;
  createdAt: string;
  lastLoginAt?: string;
  lastRefreshAt?: string;
  providerUserInfo?: { providerId: string; rawId: string; email?: string }[];
  passwordHash?: string;
  mfaInfo?: { mfaEnrollmentId: string; displayName?: string; phoneInfo?: string }[];
  sessions: number;
}

export interface PersonSession {
  provider: string;
  began: number;
  used: number;
  address: string;
  agent: string;
  secondFactor: boolean;
}

export interface AuditRecord {
  seq: number;
  time: string;
  event: string;
  uid?: string;
  email?: string;
  ip?: string;
  userAgent?: string;
  detail?: string;
}

export interface PersonAnswer {
  person: Person;
  sessions: PersonSession[];
  audit: AuditRecord[];
  auditIsWhole: boolean;
}

export interface Change {
  revocations?: number[];
}

export interface ImportResult {
  error?: { index: number; message: string }[];
}

/** Clients of a database that are connected as somebody, and what they listen to. */
export interface LiveAccess {
  clients: number;
  listeners: number;
  listens: { connection: string; path: string; explanation: Explanation | null }[];
}

const RECEIPT_SECONDS = 10;
/** So many connections of one account are asked what they listen to. */
const CONNECTIONS_LOOKED_AT = 10;

/** Accounts, by the operations that the administrators' tools use. Work of several requests keeps the one that it began with. */
export class PeopleApi {
  /** - Parameter tenant: whose accounts they are, by its id; empty for the project's own. */
  constructor(private readonly api: ConsoleApi, readonly tenant = "") {}

  /** The accounts of a tenant, or of the project. */
  of(tenant: string): PeopleApi {
    return new PeopleApi(this.api, tenant);
  }

  /** An operation on the accounts, as the door names it. */
  private at(operation: string): string {
    return this.tenant ? `tenants/${this.tenant}/${operation}` : operation;
  }

  /** What names the tenant in a query or a body; nothing for the project. */
  private named<Name extends string>(name: Name): { [name in Name]?: string } {
    return (this.tenant ? { [name]: this.tenant } : {}) as { [name in Name]?: string };
  }

  search(query: string, state: string, sorting: Sorting | null, after: string | null): Promise<{ people: Person[]; next: string | null }> {
    const asked = new URLSearchParams({ q: query, limit: "100", ...this.named("tenant") });
    if (state) asked.set("state", state);
    if (sorting) {
      asked.set("order", sorting.order);
      asked.set("dir", sorting.isDescending ? "desc" : "asc");
    }
    if (after !== null) asked.set("after", after);
    return this.api.ask("GET", "/people?" + asked);
  }

  /** - Parameter isPeek: asked by the page itself. */
  person(uid: string, isPeek = false): Promise<PersonAnswer> {
    return this.api.ask("GET", "/people/one?" + new URLSearchParams({ uid, ...isPeek ? { peek: "1" } : {}, ...this.named("tenant") }));
  }

  async live(database: string, uid: string): Promise<LiveAccess> {
    const { connections } = await this.api.ask<{ connections: { id: string }[] }>("GET",
      "/now/connections?" + new URLSearchParams({ ns: database, uid, ...this.named("tenant") }));
    const answers = await Promise.all(connections.slice(0, CONNECTIONS_LOOKED_AT).map(async ({ id }) => ({ id,
      ...await this.api.ask<{ listens: { path: string; explanation?: Explanation }[]; count: number }>("GET",
        "/now/listens?" + new URLSearchParams({ ns: database, connection: id })) })));
    return {
      clients: connections.length, listeners: answers.reduce((sum, { count }) => sum + count, 0),
      listens: answers.flatMap(({ id, listens }) => listens.map(({ path, explanation }) => ({ connection: id, path, explanation: explanation ?? null }))),
    };
  }

  create(person: object): Promise<{ localId: string }> {
    return this.api.server("POST", this.at("accounts"), person);
  }

  /** The numbers of the revocations that came of it lead to receipts. */
  update(change: { localId: string; [field: string]: unknown }): Promise<Change> {
    return this.api.server("POST", this.at("accounts:update?revocations=1"), change);
  }

  remove(uid: string): Promise<Change> {
    return this.api.server("POST", this.at("accounts:delete?revocations=1"), { localId: uid });
  }

  signOut(uid: string): Promise<Change> {
    return this.api.server("POST", "hearth/v1/users:revoke?revocations=1", { localId: uid, ...this.named("tenantId") });
  }

  reset(email: string): Promise<unknown> {
    return this.api.server("POST", this.at("accounts:sendOobCode"), { requestType: "PASSWORD_RESET", email });
  }

  import(users: object[]): Promise<ImportResult> {
    return this.api.server("POST", this.at("accounts:batchCreate"), { users });
  }

  /** Receipts of a revocation: as they are now, or when all who are to be told were, or after a while. */
  async receipts(revocation: number, waits: boolean): Promise<Receipt[]> {
    const asked = new URLSearchParams({ revocation: String(revocation), ...(waits ? { wait: String(RECEIPT_SECONDS) } : {}) });
    return (await this.api.server<{ receipts: Receipt[] }>("GET", ".settings/receipts.json?" + asked)).receipts;
  }

  newestReceipts(): Promise<{ receipts: Receipt[]; last: number }> {
    return this.api.server("GET", ".settings/receipts.json?limit=100&peek=1");
  }

  /** Receipts behind one, as soon as there are some, or none after a while. */
  receiptsAfter(id: number): Promise<{ receipts: Receipt[]; last: number }> {
    return this.api.server("GET", `.settings/receipts.json?after=${id}&wait=${RECEIPT_SECONDS}&limit=100&peek=1`);
  }

  async audit(limit: number): Promise<AuditRecord[]> {
    return (await this.api.server<{ records: AuditRecord[] }>("POST", "hearth/v1/audit:tail", { limit, ...this.named("tenantId") })).records;
  }

  verify(): Promise<{ isWhole: boolean; records?: number; broken?: { sequence: number; reason: string } }> {
    return this.api.server("POST", "hearth/v1/audit:verify", this.named("tenantId"));
  }
}
