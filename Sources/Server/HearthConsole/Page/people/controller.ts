import { displayText } from "../format/text";
import { Receipt } from "../receipts/receipt";
import { App } from "../shell/app";
import { errorText } from "../state/session";
import { Store } from "../state/store";
import { listTenants, Tenant } from "../api/tenants";
import { Sorting } from "../widgets/table";
import { AccountChange, LiveAccess, PeopleApi, Person, PersonResponse } from "./api";
import { nameOf } from "./personText";

export type StateFilter = "" | "session" | "disabled" | "anonymous" | "unverified";
export type PeopleSheet = { name: "create" | "import" | "audit" | "receipts" } | { name: "disable" | "delete" | "signOut"; person: Person } | null;

const TYPING_PAUSE_MILLISECONDS = 150;
const REFRESH_MILLISECONDS = 5000;

/** The interval at which an incomplete receipt is drawn again. */
const RECEIPT_POLL_MILLISECONDS = 300;

/** The accounts, and the selected one. */
export class PeopleController extends Store {
  /** The API for the displayed accounts. */
  api: PeopleApi;
  list: Person[] = [];
  /** The token of the next page of accounts. */
  next: string | null = null;
  isLoading = true;
  problem: string | null = null;
  query = "";
  filter: StateFilter = "";
  sorting: Sorting | null = null;
  selected: PersonResponse | { problem: string } | null = null;
  /** The receipts of this page's actions, the newest first, by uid. */
  receipts = new Map<string, Receipt[]>();
  /** The uid of the account whose receipts are outstanding. */
  awaitedReceipt: string | null = null;
  sheet: PeopleSheet = null;
  /** The tenants to choose from. */
  tenants: Tenant[] = [];
  private uid: string | null = null;
  /** The number of the current search; responses of earlier ones are dropped. */
  private generation = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private refreshTimer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly app: App) {
    super();
    this.api = new PeopleApi(app.session.api);
  }

  get readOnlyReason(): string | null {
    return this.app.session.readOnlyReason;
  }

  /** The tenant whose accounts are shown, by its id; empty for the project's own. */
  get tenant(): string {
    return this.api.tenant;
  }

  start(): void {
    void this.load();
    // Without a response there are no tenants to choose from.
    listTenants(this.app.session.api).then(tenants => {
      this.tenants = tenants;
      this.publish();
    }, () => {});
    this.refreshTimer = setInterval(() => document.hidden || void this.refreshPerson(), REFRESH_MILLISECONDS);
  }

  stop(): void {
    clearInterval(this.refreshTimer);
    clearTimeout(this.timer);
  }

  /** Shows the accounts of a tenant. Data of other accounts is dropped: two tenants may have the same uid. */
  showTenant(tenant: string): void {
    if (tenant === this.tenant) return;
    this.api = this.api.forTenant(tenant);
    [this.list, this.next, this.selected, this.uid, this.sheet, this.awaitedReceipt] = [[], null, null, null, null, null];
    this.receipts.clear();
    void this.load();
  }

  search(query: string, filter: StateFilter): void {
    if (query === this.query && filter === this.filter) return;
    [this.query, this.filter] = [query, filter];
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), TYPING_PAUSE_MILLISECONDS);
    this.publish();
  }

  sort(sorting: Sorting | null): void {
    if (JSON.stringify(sorting) === JSON.stringify(this.sorting)) return;
    this.sorting = sorting;
    void this.load();
  }

  async load(): Promise<void> {
    const generation = ++this.generation;
    this.isLoading = true;
    this.problem = null;
    this.publish();
    try {
      const found = await this.api.search(this.query, this.filter, this.sorting, null);
      if (generation !== this.generation) return;
      [this.list, this.next, this.problem] = [found.people, found.next, null];
      // One page of results may contain few accounts, or none, although more match: the server examines a limited number of
      // accounts for each.
      if (this.list.length < 20 && this.next !== null) await this.loadPages(generation);
    } catch (error) {
      if (generation === this.generation) this.problem = errorText(error);
    }
    if (generation === this.generation) this.isLoading = false;
    this.publish();
  }

  /** Stops waiting for the response. */
  stopLoading(): void {
    this.generation++;
    this.isLoading = false;
    this.problem = "Stopped before the accounts came.";
    this.publish();
  }

  stopLoadingPerson(): void {
    this.selected = { problem: "Stopped before the account came." };
    this.publish();
  }

  loadMore(): void {
    if (this.isLoading || this.next === null) return;
    this.isLoading = true;
    const { generation } = this;
    void this.loadPages(generation).catch(error => (this.problem = errorText(error))).then(() => {
      if (generation === this.generation) this.isLoading = false;
      this.publish();
    });
  }

  private async loadPages(generation: number): Promise<void> {
    for (let asked = 0; asked < 5 && this.next !== null; asked++) {
      const before = this.list.length;
      const found = await this.api.search(this.query, this.filter, this.sorting, this.next);
      if (generation !== this.generation) return;
      const known = new Set(this.list.map(person => person.localId));
      this.list = [...this.list, ...found.people.filter(person => !known.has(person.localId))];
      this.next = found.next;
      if (this.list.length - before >= 20) return;
    }
  }

  choose(uid: string | null): void {
    if (uid === this.uid) return;
    this.uid = uid;
    this.selected = null;
    this.publish();
    if (uid !== null) void this.loadPerson(uid);
  }

  private async loadPerson(uid: string): Promise<void> {
    const { tenant } = this;
    const isStill = () => uid === this.uid && tenant === this.tenant;
    try {
      const one = await this.api.person(uid);
      if (isStill()) this.setPerson(one);
    } catch (error) {
      if (isStill()) this.selected = { problem: errorText(error) };
    }
    this.publish();
  }

  private setPerson(one: PersonResponse): void {
    this.selected = one;
    this.list = this.list.map(person => person.localId === one.person.localId ? one.person : person);
  }

  private async refreshPerson(): Promise<void> {
    const { uid, tenant } = this;
    if (uid === null || this.selected === null || "problem" in this.selected) return;
    const one = await this.api.person(uid, true).catch(() => null);
    if (one && uid === this.uid && tenant === this.tenant) this.setPerson(one);
    this.publish();
  }

  /** Changes an account, and shows the receipt of the revoked access. */
  async applyChange(person: Person, work: () => Promise<AccountChange>, message: string): Promise<void> {
    const uid = person.localId;
    const { tenant } = this;
    const change = await work();
    this.sheet = null;
    this.app.notices.show(message);
    this.awaitedReceipt = uid;
    this.publish();
    try {
      for (const revocation of change.revocations ?? []) await this.watchReceipts(uid, revocation);
    } catch (error) {
      this.app.notices.showError(error);
    }
    if (tenant !== this.tenant) return;
    this.awaitedReceipt = null;
    if (uid === this.uid && this.list.some(each => each.localId === uid)) await this.loadPerson(uid);
    this.publish();
  }

  /** Shows the receipts of a revocation as they arrive, until they are complete. */
  private async watchReceipts(uid: string, revocation: number): Promise<void> {
    const before = this.receipts.get(uid) ?? [];
    const { tenant } = this;
    const take = (found: Receipt[]) => {
      if (tenant !== this.tenant) return;
      this.receipts.set(uid, [...found, ...before]);
      this.publish();
    };
    let isOver = false;
    const poll = async () => {
      const found = await this.api.receipts(revocation, false).catch(() => []);
      if (isOver) return;
      if (found.length) take(found);
      setTimeout(() => isOver || void poll(), RECEIPT_POLL_MILLISECONDS);
    };
    void poll();
    try {
      take(await this.api.receipts(revocation, true));
    } finally {
      isOver = true;
    }
  }

  /** Handles a removed account. Its pane stays until another is chosen: the receipt of its ended sessions appears
      there. */
  personRemoved(person: Person): void {
    const uid = person.localId;
    if (uid === this.uid) this.selected = { problem: `${displayText(nameOf(person), 80)} is deleted.` };
    this.list = this.list.filter(person => person.localId !== uid);
    this.publish();
  }

  /** Returns the account's listens in the displayed database. */
  liveAccess(uid: string): Promise<LiveAccess> {
    return this.api.liveAccess(this.app.data.database, uid);
  }

  open(sheet: PeopleSheet): void {
    this.sheet = sheet;
    this.publishNow();
  }
}
