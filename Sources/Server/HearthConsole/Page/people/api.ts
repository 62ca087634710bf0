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

export interface PersonResponse {
  person: Person;
  sessions: PersonSession[];
  audit: AuditRecord[];
  auditIsWhole: boolean;
}

export interface AccountChange {
  revocations?: number[];
}

export interface ImportResult {
  error?: { index: number; message: string }[];
}

/** The connected clients of an account in a database, and their listens. */
export interface LiveAccess {
  clients: number;
  listeners: number;
  listens: { connection: string; path: string; explanation: Explanation | null }[];
}

const RECEIPT_SECONDS = 10;
/** The maximum number of connections of one account whose listens are loaded. */
const CONNECTIONS_MAXIMUM = 10;

/** Accounts, through the operations of the administrators' tools. A sequence of requests keeps the tenant that it began
    with. */
export class PeopleApi {
  /** - Parameter tenant: the id of the accounts' tenant; empty for the project's own. */
  constructor(private readonly api: ConsoleApi, readonly tenant = "") {}

  /** Returns the API for the accounts of a tenant, or of the project. */
  forTenant(tenant: string): PeopleApi {
    return new PeopleApi(this.api, tenant);
  }

  /** Returns the path of an operation on the accounts. */
  private operationPath(operation: string): string {
    return this.tenant ? `tenants/${this.tenant}/${operation}` : operation;
  }

  /** Returns the tenant's parameter for a query or a body; empty for the project. */
  private tenantParameter<Name extends string>(name: Name): { [name in Name]?: string } {
    return (this.tenant ? { [name]: this.tenant } : {}) as { [name in Name]?: string };
  }

  search(query: string, state: string, sorting: Sorting | null, after: string | null): Promise<{ people: Person[]; next: string | null }> {
    const parameters = new URLSearchParams({ q: query, limit: "100", ...this.tenantParameter("tenant") });
    if (state) parameters.set("state", state);
    if (sorting) {
      parameters.set("order", sorting.order);
      parameters.set("dir", sorting.isDescending ? "desc" : "asc");
    }
    if (after !== null) parameters.set("after", after);
    return this.api.request("GET", "/people?" + parameters);
  }

  /** Loads an account with its sessions and audit records. `isBackground` is true for a request of the page itself. */
  person(uid: string, isBackground = false): Promise<PersonResponse> {
    return this.api.request("GET", "/people/one?" + new URLSearchParams({ uid, ...isBackground ? { peek: "1" } : {}, ...this.tenantParameter("tenant") }));
  }

  async liveAccess(database: string, uid: string): Promise<LiveAccess> {
    const { connections } = await this.api.request<{ connections: { id: string }[] }>("GET",
      "/now/connections?" + new URLSearchParams({ ns: database, uid, ...this.tenantParameter("tenant") }));
    const answers = await Promise.all(connections.slice(0, CONNECTIONS_MAXIMUM).map(async ({ id }) => ({ id,
      ...await this.api.request<{ listens: { path: string; explanation?: Explanation }[]; count: number }>("GET",
        "/now/listens?" + new URLSearchParams({ ns: database, connection: id })) })));
    return {
      clients: connections.length, listeners: answers.reduce((sum, { count }) => sum + count, 0),
      listens: answers.flatMap(({ id, listens }) => listens.map(({ path, explanation }) => ({ connection: id, path, explanation: explanation ?? null }))),
    };
  }

  create(person: object): Promise<{ localId: string }> {
    return this.api.requestAdministration("POST", this.operationPath("accounts"), person);
  }

  /** Updates an account. The returned revocation numbers lead to receipts. */
  update(change: { localId: string; [field: string]: unknown }): Promise<AccountChange> {
    return this.api.requestAdministration("POST", this.operationPath("accounts:update?revocations=1"), change);
  }

  remove(uid: string): Promise<AccountChange> {
    return this.api.requestAdministration("POST", this.operationPath("accounts:delete?revocations=1"), { localId: uid });
  }

  signOut(uid: string): Promise<AccountChange> {
    return this.api.requestAdministration("POST", "hearth/v1/users:revoke?revocations=1", { localId: uid, ...this.tenantParameter("tenantId") });
  }

  reset(email: string): Promise<unknown> {
    return this.api.requestAdministration("POST", this.operationPath("accounts:sendOobCode"), { requestType: "PASSWORD_RESET", email });
  }

  import(users: object[]): Promise<ImportResult> {
    return this.api.requestAdministration("POST", this.operationPath("accounts:batchCreate"), { users });
  }

  /** Returns the receipts of a revocation: at once, or with `waits` when they are complete or a while has passed. */
  async receipts(revocation: number, waits: boolean): Promise<Receipt[]> {
    const parameters = new URLSearchParams({ revocation: String(revocation), ...(waits ? { wait: String(RECEIPT_SECONDS) } : {}) });
    return (await this.api.requestAdministration<{ receipts: Receipt[] }>("GET", ".settings/receipts.json?" + parameters)).receipts;
  }

  newestReceipts(): Promise<{ receipts: Receipt[]; last: number }> {
    return this.api.requestAdministration("GET", ".settings/receipts.json?limit=100&peek=1");
  }

  /** Returns the receipts after an id, as soon as there are some, or none after a while. */
  receiptsAfter(id: number): Promise<{ receipts: Receipt[]; last: number }> {
    return this.api.requestAdministration("GET", `.settings/receipts.json?after=${id}&wait=${RECEIPT_SECONDS}&limit=100&peek=1`);
  }

  async audit(limit: number): Promise<AuditRecord[]> {
    return (await this.api.requestAdministration<{ records: AuditRecord[] }>("POST", "hearth/v1/audit:tail", { limit, ...this.tenantParameter("tenantId") })).records;
  }

  verify(): Promise<{ isWhole: boolean; records?: number; broken?: { sequence: number; reason: string } }> {
    return this.api.requestAdministration("POST", "hearth/v1/audit:verify", this.tenantParameter("tenantId"));
  }
}
