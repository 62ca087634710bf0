import { isSame, Path, textOf } from "../tree/keys";
import { fromExport } from "../tree/node";
import type { Session } from "../state/session";
import type { Notices } from "../state/notices";
import type { Node } from "../tree/node";
import type { Link } from "../wire/link";
import type { Lines } from "./lines";
import { Edits, PartTooLarge, Undo } from "./edits";
import { download, downloadFromServer } from "./export";

const EXPORTED_BYTES_MAXIMUM = 5_000_000;

/** The view whose selected node the actions change. */
interface ActsView {
  readonly readOnlyReason: string | null;
  readonly notices: Notices;
  readonly session: Session;
  readonly edits: Edits;
  readonly lines: Lines;
  readonly database: string;
  readonly route: { path: Path; as?: unknown };
  readonly model: { valueAt(path: Path): Node | null } | null;
  readonly activeLink: Link | null;
  go(to: { path: Path }): void;
  open(sheet: "add" | "rename" | "move" | "remove" | "paste"): void;
  select(path: Path): void;
}

/** The actions on the selected node, with undo. */
export class Acts {
  private undos: Undo[] = [];
  /** The last action, also while it is under way; never rejects. */
  private underWay: Promise<boolean> = Promise.resolve(true);
  /** True while the size of a removal is determined: its dialog may be about to open. */
  private isWeighing = false;

  constructor(private readonly data: ActsView) {}

  /** Starts an action on the selected node, unless the data is read-only now. */
  change(act: "add" | "rename" | "move" | "remove" | "duplicate" | "paste"): void {
    const reason = this.data.readOnlyReason;
    if (reason) return this.data.notices.say(reason);
    if (this.isWeighing) return;
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
      this.isWeighing = true;
      const weight = await this.data.edits.weigh(path, held).finally(() => (this.isWeighing = false));
      if (weight.asks || !path.length) return this.data.open("remove");
      const undo = await this.data.edits.remove(path, held, weight.isKept);
      this.selectAround(path);
      return undo;
    });
  }

  /** Selects the row that follows a removed one: the next, else the previous, else the parent. */
  selectAround(path: Path): void {
    const at = this.data.lines.of(path);
    const isSibling = (line: number) => {
      const other = this.data.lines.at(line);
      return other?.type === "node" && other.path.length === path.length ? other.path : null;
    };
    const next = at < 0 ? null : isSibling(at + 1) ?? isSibling(at) ?? isSibling(at - 1);
    this.data.select(next && !isSame(next, path) ? next : path.slice(0, -1));
  }

  /** Exports a part as a file, as the identity in use may see it. Large parts are downloaded from the server. */
  exportPart(path: Path): void {
    void this.run(async () => {
      const page = await this.data.session.api.outline(this.data.database, textOf(path), { limit: 1 });
      if (page.bytes > EXPORTED_BYTES_MAXIMUM) {
        if (!this.data.route.as) return downloadFromServer(this.data.session.api, this.data.database, path);
        throw new PartTooLarge(path, page.bytes, EXPORTED_BYTES_MAXIMUM);
      }
      download(path, fromExport(await this.data.activeLink!.wire.get(path)));
    });
  }

  copy(text: string, told: string): void {
    navigator.clipboard.writeText(text).then(() => this.data.notices.say(told),
      () => this.data.notices.say("The browser did not let the page copy.", "bad"));
  }

  run(act: () => Promise<Undo | null | void>): Promise<boolean> {
    return (this.underWay = this.finish(act));
  }

  private async finish(act: () => Promise<Undo | null | void>): Promise<boolean> {
    try {
      const undo = await act();
      if (undo) this.offerUndo(undo);
      return true;
    } catch (error) {
      this.data.notices.fail(error);
      return false;
    }
  }

  offerUndo(undo: Undo): void {
    this.undos.push(undo);
    this.data.notices.offer(undo.text, "Undo", () => this.undo(undo));
  }

  /** Undoes an action; without an argument the last one, also while its response is outstanding. */
  async undo(offered?: Undo): Promise<void> {
    if (!offered) await this.underWay;
    const undo = offered ?? this.undos[this.undos.length - 1];
    if (!undo) return;
    this.undos = this.undos.filter(each => each !== undo);
    this.data.notices.list.filter(notice => notice.text === undo.text
      && notice.action).forEach(notice => this.data.notices.close(notice.id));
    try {
      await undo.run();
      this.data.notices.say("Undone: " + undo.text.charAt(0).toLowerCase() + undo.text.slice(1));
    } catch (error) {
      this.data.notices.fail(error);
    }
  }
}
