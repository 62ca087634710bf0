import { shown } from "../format/text";
import { Receipt } from "../receipts/receipt";
import { App } from "../shell/app";
import { sentence } from "../state/session";
import { Store } from "../state/store";
import { listTenants, Tenant } from "../api/tenants";
import { Sorting } from "../widgets/table";
import { Change, LiveAccess, PeopleApi, Person, PersonAnswer } from "./api";
import { nameOf } from "./words";

export type StateFilter = "" | "session" | "disabled" | "anonymous" | "unverified";
export type PeopleSheet = { name: "create" | "import" | "audit" | "receipts" } | { name: "disable" | "delete" | "signOut"; person: Person } | null;

const TYPED_MILLISECONDS = 150;
const LOOKED_MILLISECONDS = 5000;

/** The interval at which an incomplete receipt is drawn again. */
const GROWN_MILLISECONDS = 300;

/** The accounts, and the selected one. */
export class PeopleController extends Store {
  /** The API for the displayed accounts. */
  api: PeopleApi;
  list: Person[] = [];
  next: string | null = null;
  isLoading = true;
  problem: string | null = null;
  query = "";
  filter: StateFilter = "";
  sorting: Sorting | null = null;
  one: PersonAnswer | { problem: string } | null = null;
  /** The receipts of this page's actions, the newest first, by uid. */
  receipts = new Map<string, Receipt[]>();
  /** The revocation whose receipt is outstanding. */
  awaited: string | null = null;
  sheet: PeopleSheet = null;
  /** The tenants to choose from. */
  tenants: Tenant[] = [];
  private uid: string | null = null;
  private generation = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private looking: ReturnType<typeof setInterval> | undefined;

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
      this.changed();
    }, () => {});
    this.looking = setInterval(() => document.hidden || void this.lookAgain(), LOOKED_MILLISECONDS);
  }

  stop(): void {
    clearInterval(this.looking);
    clearTimeout(this.timer);
  }

  /** Shows the accounts of a tenant. Data of other accounts is dropped: two tenants may have the same uid. */
  belongTo(tenant: string): void {
    if (tenant === this.tenant) return;
    this.api = this.api.of(tenant);
    [this.list, this.next, this.one, this.uid, this.sheet, this.awaited] = [[], null, null, null, null, null];
    this.receipts.clear();
    void this.load();
  }

  search(query: string, filter: StateFilter): void {
    if (query === this.query && filter === this.filter) return;
    [this.query, this.filter] = [query, filter];
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), TYPED_MILLISECONDS);
    this.changed();
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
    this.changed();
    try {
      const found = await this.api.search(this.query, this.filter, this.sorting, null);
      if (generation !== this.generation) return;
      [this.list, this.next, this.problem] = [found.people, found.next, null];
      // A page may have examined many accounts of which few match.
      if (this.list.length < 20 && this.next !== null) await this.page(generation);
    } catch (error) {
      if (generation === this.generation) this.problem = sentence(error);
    }
    if (generation === this.generation) this.isLoading = false;
    this.changed();
  }

  /** Stops waiting for the response. */
  stopLoading(): void {
    this.generation++;
    this.isLoading = false;
    this.problem = "Stopped before the accounts came.";
    this.changed();
  }

  stopLooking(): void {
    this.one = { problem: "Stopped before the account came." };
    this.changed();
  }

  more(): void {
    if (this.isLoading || this.next === null) return;
    this.isLoading = true;
    const { generation } = this;
    void this.page(generation).catch(error => (this.problem = sentence(error))).then(() => {
      if (generation === this.generation) this.isLoading = false;
      this.changed();
    });
  }

  private async page(generation: number): Promise<void> {
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
    this.one = null;
    this.changed();
    if (uid !== null) void this.look(uid);
  }

  private async look(uid: string): Promise<void> {
    const { tenant } = this;
    const isStill = () => uid === this.uid && tenant === this.tenant;
    try {
      const one = await this.api.person(uid);
      if (isStill()) this.take(one);
    } catch (error) {
      if (isStill()) this.one = { problem: sentence(error) };
    }
    this.changed();
  }

  private take(one: PersonAnswer): void {
    this.one = one;
    this.list = this.list.map(person => person.localId === one.person.localId ? one.person : person);
  }

  private async lookAgain(): Promise<void> {
    const { uid, tenant } = this;
    if (uid === null || this.one === null || "problem" in this.one) return;
    const one = await this.api.person(uid, true).catch(() => null);
    if (one && uid === this.uid && tenant === this.tenant) this.take(one);
    this.changed();
  }

  /** Changes an account, and shows the receipt of the revoked access. */
  async act(person: Person, work: () => Promise<Change>, told: string): Promise<void> {
    const uid = person.localId;
    const { tenant } = this;
    const change = await work();
    this.sheet = null;
    this.app.notices.say(told);
    this.awaited = uid;
    this.changed();
    try {
      for (const revocation of change.revocations ?? []) await this.watchReceipts(uid, revocation);
    } catch (error) {
      this.app.notices.fail(error);
    }
    if (tenant !== this.tenant) return;
    this.awaited = null;
    if (uid === this.uid && this.list.some(each => each.localId === uid)) await this.look(uid);
    this.changed();
  }

  /** Shows the receipts of a revocation as they arrive, until they are complete. */
  private async watchReceipts(uid: string, revocation: number): Promise<void> {
    const before = this.receipts.get(uid) ?? [];
    const { tenant } = this;
    const take = (found: Receipt[]) => {
      if (tenant !== this.tenant) return;
      this.receipts.set(uid, [...found, ...before]);
      this.changed();
    };
    let isOver = false;
    const grow = async () => {
      const found = await this.api.receipts(revocation, false).catch(() => []);
      if (isOver) return;
      if (found.length) take(found);
      setTimeout(() => isOver || void grow(), GROWN_MILLISECONDS);
    };
    void grow();
    try {
      take(await this.api.receipts(revocation, true));
    } finally {
      isOver = true;
    }
  }

  /** Handles a removed account. Its pane stays until another is chosen: the receipt of its ended sessions appears
      there. */
  removed(person: Person): void {
    const uid = person.localId;
    if (uid === this.uid) this.one = { problem: `${shown(nameOf(person), 80)} is deleted.` };
    this.list = this.list.filter(person => person.localId !== uid);
    this.changed();
  }

  /** Returns the account's listens in the displayed database. */
  live(uid: string): Promise<LiveAccess> {
    return this.api.live(this.app.data.database, uid);
  }

  open(sheet: PeopleSheet): void {
    this.sheet = sheet;
    this.changedAtOnce();
  }
}
