import { Store } from "./store";
import { ConsoleApi } from "../api/console";
import { EventStream } from "../api/events";

export interface RuleLocation {
  kind: "read" | "write" | "validate";
  path: string;
  line: number;
  column: number;
}

/** A request that was refused, or equal ones of one second. */
export interface Denial {
  id: string;
  at: number;
  database: string;
  operation: string;
  cause: string | null;
  path: string;
  uid: string | null;
  /** The user's tenant; null for the project itself. */
  tenant?: string | null;
  connection: string | null;
  trace: string | null;
  count: number;
  rule: RuleLocation | null;
  sentence: string;
}

const KEPT = 1000;

/** The denials of a database, live, the newest first. */
export class DenialFeed extends Store {
  list: Denial[] = [];
  /** The number of denials that were missed because the page was too slow, or disconnected for too long. */
  missed = 0;
  private database = "";
  private readonly stream: EventStream;

  constructor(api: ConsoleApi) {
    super();
    this.stream = new EventStream(api, () => this.query(), (event, data) => this.receive(event, data), () => this.publish());
  }

  get isLive(): boolean {
    return this.stream.isLive;
  }

  start(database: string): void {
    this.stop();
    this.database = database;
    this.stream.start();
  }

  stop(): void {
    this.stream.stop();
    this.list = [];
    this.missed = 0;
    this.publish();
  }

  countSince(at: number): number {
    let sum = 0;
    for (const denial of this.list) {
      if (denial.at < at) break;
      sum += denial.count;
    }
    return sum;
  }

  private query(): URLSearchParams {
    const query = new URLSearchParams({ ns: this.database, topics: "denials" });
    if (this.list[0]) query.set("after", this.list[0].id);
    return query;
  }

  private receive(event: string, data: string): void {
    if (event === "denial") this.upsert(JSON.parse(data) as Denial);
    if (event === "gap") this.missed += (JSON.parse(data) as { missed: number }).missed;
    this.publish();
  }

  /** Adds a denial; one whose count grows comes again under its id. */
  private upsert(denial: Denial): void {
    const at = this.list.findIndex(each => each.id === denial.id);
    if (at >= 0) this.list[at] = denial;
    else this.list = [denial, ...this.list.slice(0, KEPT - 1)];
  }
}
