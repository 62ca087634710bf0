import { differences } from "../tree/diff";
import { isSamePath, Path, pathText } from "../tree/keys";
import { fromExport, Json } from "../tree/node";
import { Store } from "../state/store";
import { ChangeKind, changeText, kindOfChange, LoggedChange } from "./changeLog";
import type { DataController } from "./controller";

/** A change with its author; null when the history has none. */
export interface PastChange extends LoggedChange {
  by: string | null;
}

interface Author {
  uid?: string;
  isAdministrator?: boolean;
}

interface HistoryResponse {
  changes: { time: string; by?: Author; from?: Json; to?: Json; fromIsLarge?: boolean; toIsLarge?: boolean }[];
}

const CHANGES_MAXIMUM = 20;
/** The number of places that are listed of one commit. */
const PLACES_MAXIMUM = 10;
/** The time for which a node stays selected before its history is read. */
const PAUSE_MILLISECONDS = 600;
/** The interval at which the history of a node that changes is read again. */
const REFRESH_MILLISECONDS = 5000;
/** The time after which a database without authors in its history is asked again. */
const NO_AUTHORS_MILLISECONDS = 120_000;
/** The response time above which a history is read only once. */
const SLOW_MILLISECONDS = 1500;
/** The difference of clocks up to which an observed change is that of the history. */
const CLOCKS_MILLISECONDS = 60_000;

/** The changes of the selected node by the database's history, where it has their authors. */
export class ChangeHistory extends Store {
  changes: PastChange[] = [];
  private path: Path | null = null;
  private database = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private askedAt = -Infinity;
  private isAsking = false;
  private isSlow = false;
  /** The time of the newest observed change when the history was read. */
  private seenAt = 0;
  /** The databases whose history has no authors, with the time of the response. */
  private readonly withoutAuthors = new Map<string, number>();

  /** Updates from the controller. Called before each drawing. */
  update(data: DataController, newest: number): void {
    const { path } = data.route;
    if (!this.path || !isSamePath(path, this.path) || data.database !== this.database) {
      [this.path, this.database, this.changes, this.isSlow] = [path, data.database, [], false];
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.load(data, newest), PAUSE_MILLISECONDS);
    } else if (newest > this.seenAt && !this.isSlow && this.changes.length && performance.now() - this.askedAt > REFRESH_MILLISECONDS) {
      void this.load(data, newest);
    }
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private async load(data: DataController, newest: number): Promise<void> {
    const { path, database } = this;
    const now = performance.now();
    if (!path || data.route.as || this.isAsking || now - (this.withoutAuthors.get(database) ?? -Infinity) < NO_AUTHORS_MILLISECONDS) return;
    [this.isAsking, this.askedAt, this.seenAt] = [true, now, newest];
    try {
      const query = new URLSearchParams({ ns: database, path: pathText(path), limit: String(CHANGES_MAXIMUM), peek: "1" });
      const { changes } = await data.session.api.requestAdministration<HistoryResponse>("GET", ".settings/history.json?" + query);
      if (!changes.some(each => each.by)) {
        if (changes.length) this.withoutAuthors.set(database, performance.now());
      } else if (path === this.path && database === this.database) {
        this.changes = changes.flatMap(each => pastChanges(path, each));
        this.isSlow = performance.now() - now > SLOW_MILLISECONDS;
      }
    } catch {
      // Without a response the observed changes are shown.
    }
    this.isAsking = false;
    this.publish();
  }
}

function pastChanges(base: Path, { time, by, from, to, fromIsLarge, toIsLarge }: HistoryResponse["changes"][number]): PastChange[] {
  const [at, who] = [Date.parse(time), by ? authorName(by) : null];
  if (fromIsLarge || toIsLarge) return [{ at, path: base, kind: "changed" as ChangeKind, text: "large", by: who }];
  return differences(fromExport(from), fromExport(to), PLACES_MAXIMUM).map(({ path, before, after }) =>
    ({ at, path: [...base, ...path], kind: kindOfChange(before, after), text: changeText(before, after), by: who }));
}

export function authorName(by: Author): string {
  return by.uid ?? (by.isAdministrator ? "administrator" : "signed-out client");
}

/** Returns the observed changes and those of the history, each once, the newest first. */
export function mergeChanges(observed: readonly LoggedChange[], past: readonly PastChange[], limit: number): PastChange[] {
  const left = [...past];
  const merged = observed.map((change): PastChange => {
    const at = left.findIndex(each => each.text === change.text && isSamePath(each.path, change.path)
      && Math.abs(each.at - change.at) < CLOCKS_MILLISECONDS);
    return at < 0 ? { ...change, by: null } : { ...change, by: left.splice(at, 1)[0]!.by };
  });
  return [...merged, ...left].sort((a, b) => b.at - a.at).slice(0, limit);
}
