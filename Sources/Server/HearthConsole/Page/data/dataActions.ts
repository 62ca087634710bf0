import { isSamePath, Path, pathText } from "../tree/keys";
import { fromExport } from "../tree/node";
import type { Session } from "../state/session";
import type { Notices } from "../state/notices";
import type { Node } from "../tree/node";
import type { DatabaseConnection } from "../wire/databaseConnection";
import type { Lines } from "./lines";
import { Edits, PartTooLarge, Undo } from "./edits";
import { download, downloadFromServer } from "./export";

const EXPORTED_BYTES_MAXIMUM = 5_000_000;

/** The view whose selected node the actions change. */
interface ActionsHost {
  readonly readOnlyReason: string | null;
  readonly notices: Notices;
  readonly session: Session;
  readonly edits: Edits;
  readonly lines: Lines;
  readonly database: string;
  readonly route: { path: Path; as?: unknown };
  readonly model: { valueAt(path: Path): Node | null } | null;
  readonly activeConnection: DatabaseConnection | null;
  go(to: { path: Path }): void;
  open(sheet: "add" | "rename" | "move" | "remove" | "paste"): void;
  select(path: Path): void;
}

/** The actions on the selected node, with undo. */
export class DataActions {
  private undos: Undo[] = [];
  /** The last action, also while it is under way; never rejects. */
  private lastAction: Promise<boolean> = Promise.resolve(true);
  /** True while the size of a removal is determined: its dialog may be about to open. */
  private isMeasuring = false;

  constructor(private readonly data: ActionsHost) {}

  /** Starts an action on the selected node, unless the data is read-only now. */
  start(act: "add" | "rename" | "move" | "remove" | "duplicate" | "paste"): void {
    const reason = this.data.readOnlyReason;
    if (reason) return this.data.notices.show(reason);
    if (this.isMeasuring) return;
    const { path } = this.data.route;
    if (act === "duplicate") {
      if (!path.length) return;
      void this.run(async () => {
        const made = await this.data.edits.duplicate(path);
        this.data.go({ path: made.path });
        return made.undo;
      });
    } else if (act === "remove") {
      void this.remove(path);
    } else if ((act !== "rename" && act !== "move") || path.length) {
      this.data.open(act);
    }
  }

  /** Removes a few values at once, with undo; for many, or for all, the user has to type the key. */
  private async remove(path: Path): Promise<void> {
    const held = this.data.model?.valueAt(path) ?? null;
    await this.run(async () => {
      this.isMeasuring = true;
      const weight = await this.data.edits.measureRemoval(path, held).finally(() => (this.isMeasuring = false));
      if (weight.needsConfirmation || !path.length) return this.data.open("remove");
      const undo = await this.data.edits.remove(path, held, weight.canUndo);
      this.selectAround(path);
      return undo;
    });
  }

  /** Selects the row that follows a removed one: the next, else the previous, else the parent. */
  selectAround(path: Path): void {
    const at = this.data.lines.indexOf(path);
    const isSibling = (line: number) => {
      const other = this.data.lines.at(line);
      return other?.type === "node" && other.path.length === path.length ? other.path : null;
    };
    const next = at < 0 ? null : isSibling(at + 1) ?? isSibling(at) ?? isSibling(at - 1);
    this.data.select(next && !isSamePath(next, path) ? next : path.slice(0, -1));
  }

  /** Exports a part as a file, as the identity in use may see it. Large parts are downloaded from the server. */
  exportPart(path: Path): void {
    void this.run(async () => {
      const page = await this.data.session.api.outline(this.data.database, pathText(path), { limit: 1 });
      if (page.bytes > EXPORTED_BYTES_MAXIMUM) {
        if (!this.data.route.as) return downloadFromServer(this.data.session.api, this.data.database, path);
        throw new PartTooLarge(path, page.bytes, EXPORTED_BYTES_MAXIMUM);
      }
      download(path, fromExport(await this.data.activeConnection!.client.get(path)));
    });
  }

  copy(text: string, message: string): void {
    navigator.clipboard.writeText(text).then(() => this.data.notices.show(message),
      () => this.data.notices.show("The browser did not let the page copy.", "bad"));
  }

  run(act: () => Promise<Undo | null | void>): Promise<boolean> {
    return (this.lastAction = this.finish(act));
  }

  private async finish(act: () => Promise<Undo | null | void>): Promise<boolean> {
    try {
      const undo = await act();
      if (undo) this.offerUndo(undo);
      return true;
    } catch (error) {
      this.data.notices.showError(error);
      return false;
    }
  }

  offerUndo(undo: Undo): void {
    this.undos.push(undo);
    this.data.notices.showAction(undo.text, "Undo", () => this.undo(undo));
  }

  /** Undoes an action; without an argument the last one, also while its response is outstanding. */
  async undo(offered?: Undo): Promise<void> {
    if (!offered) await this.lastAction;
    const undo = offered ?? this.undos[this.undos.length - 1];
    if (!undo) return;
    this.undos = this.undos.filter(each => each !== undo);
    this.data.notices.list.filter(notice => notice.text === undo.text
      && notice.action).forEach(notice => this.data.notices.close(notice.id));
    try {
      await undo.run();
      this.data.notices.show("Undone: " + undo.text.charAt(0).toLowerCase() + undo.text.slice(1));
    } catch (error) {
      this.data.notices.showError(error);
    }
  }
}
