import { compareKeys } from "../tree/keys";
import type { OutlinePage } from "../api/console";
import type { Branch, Window } from "./branch";
import type { Line } from "./line";
import type { BranchModel } from "./window";

/** The number of rows that are requested beyond a window's own, so that new ones are found. */
const EXTRA_ROWS = 50;
const PAGE_MAXIMUM = 500;

/** The model whose outlines are read. */
interface OutlineModel extends Pick<BranchModel, "structureChanged" | "page"> {
  readonly isPaused: boolean;
  readonly visible: Line[];
}

/** A refresh of the outlines of branches whose rows or numbers do not follow from loaded data. */
export class OutlineRefresh {
  private changedBranches = new Set<Branch>();
  private isBusy = false;

  constructor(private readonly model: OutlineModel) {}

  /** Records a write in a branch. */
  markChanged(branch: Branch): void {
    if (branch.hasGaps || branch.windows.some(window => window.source === "rows")) this.changedBranches.add(branch);
  }

  /** Refreshes the branches. Called every two seconds. */
  async run(): Promise<void> {
    if (this.isBusy || this.model.isPaused) return;
    this.isBusy = true;
    const branches = [...this.changedBranches];
    this.changedBranches.clear();
    try {
      for (const branch of branches) await this.read(branch);
    } catch {
      // The connection's state shows that the server is unreachable.
    }
    this.isBusy = false;
  }

  private async read(branch: Branch): Promise<void> {
    const window = branch.windows.find(each => each.source === "rows" && this.isSeen(each));
    // A page of an outline begins after a key, so that a page cannot be requested by its own first key.
    if (!window || branch.order.by !== "key" || window.low?.isIncluded) {
      branch.count = (await this.model.page(branch.path, branch.order, undefined, "asc", 1, true)).count;
    } else {
      const from = window.low?.isIncluded === false ? window.low.key : undefined;
      const limit = Math.min(PAGE_MAXIMUM, window.keys.length + EXTRA_ROWS);
      const page = await this.model.page(branch.path, branch.order, from, "asc", limit, true);
      branch.count = page.count;
      this.replaceRows(window, page);
      branch.recount();
    }
    this.model.structureChanged();
  }

  private isSeen(window: Window): boolean {
    return this.model.visible.some(line => line.type === "node" && line.window === window);
  }

  private replaceRows(window: Window, page: OutlinePage): void {
    const { low, high } = window;
    const rows = page.rows.filter(row => {
      const difference = high ? compareKeys(row.key, high.key) : -1;
      const isBelowHigh = difference < 0 || (difference === 0 && high!.isIncluded);
      return isBelowHigh && (!low || compareKeys(row.key, low.key) >= 0);
    });
    window.info = new Map(rows.map(row => [row.key, row]));
    const keys = rows.map(row => row.key);
    if (keys.join("\n") !== window.keys.join("\n")) window.setKeys(keys);
  }
}
