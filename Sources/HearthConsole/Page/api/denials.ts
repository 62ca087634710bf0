import { Store } from "../shell/store";
import { ConsoleApi } from "./console";
import { readEvents } from "./events";

export interface RulePlace {
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
  connection: string | null;
  trace: string | null;
  count: number;
  rule: RulePlace | null;
  sentence: string;
}

const KEPT = 1000;

/** What is refused in a database, live, the newest first. */
export class DenialFeed extends Store {
  list: Denial[] = [];
  /** Refused while the page was too slow, or not connected long enough to be told. */
  missed = 0;
  isLive = false;
  private database = "";
  private controller: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private delay = 1000;

  constructor(private readonly api: ConsoleApi) {
    super();
  }

  start(database: string): void {
    this.stop();
    this.database = database;
    void this.run();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.controller?.abort();
    this.controller = null;
    this.list = [];
    this.missed = 0;
    this.isLive = false;
    this.changed();
  }

  countSince(at: number): number {
    let sum = 0;
    for (const denial of this.list) {
      if (denial.at < at) break;
      sum += denial.count;
    }
    return sum;
  }

  private async run(): Promise<void> {
    const controller = (this.controller = new AbortController());
    try {
      const query = new URLSearchParams({ ns: this.database, topics: "denials" });
      if (this.list[0]) query.set("after", this.list[0].id);
      const response = await this.api.events(query, controller.signal);
      this.isLive = response.ok;
      this.changed();
      await readEvents(response, (event, data) => {
        this.delay = 1000;
        if (event === "denial") this.take(JSON.parse(data) as Denial);
        if (event === "gap") this.missed += (JSON.parse(data) as { missed: number }).missed;
        this.changed();
      });
    } catch {
      // It is asked for again; what was told stays.
    }
    if (this.controller !== controller) return;
    this.isLive = false;
    this.changed();
    this.delay = Math.min(this.delay * 2, 30_000);
    this.timer = setTimeout(() => void this.run(), this.delay);
  }

  /** Those whose count grows come again under their id. */
  private take(denial: Denial): void {
    const at = this.list.findIndex(each => each.id === denial.id);
    if (at >= 0) this.list[at] = denial;
    else this.list = [denial, ...this.list.slice(0, KEPT - 1)];
  }
}
