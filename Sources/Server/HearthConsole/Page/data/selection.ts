import { OutlinePage } from "../api/console";
import { isSame, Path, textOf } from "../tree/keys";
import { Node } from "../tree/node";
import { Store } from "../state/store";
import type { DataController } from "./controller";

/** The size up to which the inspector loads values automatically, in bytes. */
const LOADED_BYTES_MAXIMUM = 65_536;
const AGAIN_MILLISECONDS = 2000;

/** The data of the selected node: its outline, and its value if that is loaded or small. */
export class Selection extends Store {
  node: Node | null = null;
  page: OutlinePage | null = null;
  refusal: string | null = null;
  private path: Path = [];
  private data: DataController | null = null;
  private model: object | null = null;
  private stop: (() => void) | null = null;
  private askedAt = 0;
  private isAsking = false;
  private isWanted = false;

  get isKnown(): boolean {
    return this.node !== null || this.page !== null;
  }

  /** Updates from the controller. Called before each drawing. */
  look(data: DataController): void {
    const { path } = data.route;
    if (!this.data || !isSame(path, this.path) || data.model !== this.model) {
      this.leave();
      this.data = data;
      this.path = path;
      this.model = data.model;
      this.page = null;
      this.refusal = null;
      this.askedAt = 0;
      this.isWanted = false;
    }
    const held = path.length ? data.model?.valueAt(path) ?? null : null;
    if (held) this.node = held;
    else if (!this.stop) this.node = null;
    const access = data.model?.isAsSomebody ? data.model.rowListens.accessOf(textOf(path)) : null;
    if (access) this.refusal = access.access === "hidden" || access.access === "parts" ? access.reason : null;
    if (performance.now() - this.askedAt > AGAIN_MILLISECONDS) void this.ask();
  }

  leave(): void {
    this.stop?.();
    this.stop = null;
    this.node = null;
  }

  load(): void {
    this.isWanted = true;
    this.listen();
  }

  private async ask(): Promise<void> {
    const { data, path, model } = this;
    if (!data?.database || this.isAsking || !data.model || document.hidden) return;
    this.isAsking = true;
    this.askedAt = performance.now();
    try {
      const page = await data.session.api.outline(data.database, textOf(path), { limit: 1, isPeek: this.page !== null });
      if (path !== this.path || model !== this.model) return;
      this.page = page;
      const isSmall = page.bytes <= LOADED_BYTES_MAXIMUM;
      if (!this.node && !this.stop && path.length && isSmall && page.kind !== "null") this.listen();
      if (page.kind === "null" && this.stop) this.leave();
      this.changed();
    } catch {
      // The connection's state shows that the server is unreachable.
    } finally {
      this.isAsking = false;
    }
  }

  private listen(): void {
    const model = this.data?.model;
    if (!model || this.stop) return;
    const made = model.wire.listen(this.path, null, {
      ready: () => this.took(made.listen.root),
      changed: () => this.took(made.listen.root),
      refused: (_status, reason) => {
        this.stop = null;
        this.node = null;
        this.refusal = reason;
        this.changed();
      },
    });
    this.stop = made.stop;
    if (this.isWanted) this.changed();
  }

  private took(node: Node | null): void {
    this.node = node;
    this.refusal = null;
    this.changed();
  }
}
