import { OutlinePage } from "../api/console";
import { isSamePath, Path, pathText } from "../tree/keys";
import { Node } from "../tree/node";
import { Store } from "../state/store";
import type { DataController } from "./controller";

/** The size up to which the inspector loads values automatically, in bytes. */
const LOADED_BYTES_MAXIMUM = 65_536;
const REFRESH_MILLISECONDS = 2000;

/** The data of the selected node: its outline, and its value if that is loaded or small. */
export class Selection extends Store {
  node: Node | null = null;
  page: OutlinePage | null = null;
  refusal: string | null = null;
  private path: Path = [];
  private data: DataController | null = null;
  private model: object | null = null;
  private stop: (() => void) | null = null;
  private requestedAt = 0;
  private isRequesting = false;
  private isLoadRequested = false;

  get isKnown(): boolean {
    return this.node !== null || this.page !== null;
  }

  /** Updates from the controller. Called before each drawing. */
  update(data: DataController): void {
    const { path } = data.route;
    if (!this.data || !isSamePath(path, this.path) || data.model !== this.model) {
      this.stopListening();
      this.data = data;
      this.path = path;
      this.model = data.model;
      this.page = null;
      this.refusal = null;
      this.requestedAt = 0;
      this.isLoadRequested = false;
    }
    const held = path.length ? data.model?.valueAt(path) ?? null : null;
    if (held) this.node = held;
    else if (!this.stop) this.node = null;
    const access = data.model?.isImpersonating ? data.model.rowListens.accessOf(pathText(path)) : null;
    if (access) this.refusal = access.access === "hidden" || access.access === "parts" ? access.reason : null;
    if (performance.now() - this.requestedAt > REFRESH_MILLISECONDS) void this.loadOutline();
  }

  stopListening(): void {
    this.stop?.();
    this.stop = null;
    this.node = null;
  }

  load(): void {
    this.isLoadRequested = true;
    this.listen();
  }

  private async loadOutline(): Promise<void> {
    const { data, path, model } = this;
    if (!data?.database || this.isRequesting || !data.model || document.hidden) return;
    this.isRequesting = true;
    this.requestedAt = performance.now();
    try {
      const page = await data.session.api.outline(data.database, pathText(path), { limit: 1, isBackground: this.page !== null });
      if (path !== this.path || model !== this.model) return;
      this.page = page;
      const isSmall = page.bytes <= LOADED_BYTES_MAXIMUM;
      if (!this.node && !this.stop && path.length && isSmall && page.kind !== "null") this.listen();
      if (page.kind === "null" && this.stop) this.stopListening();
      this.publish();
    } catch {
      // The connection's state shows that the server is unreachable.
    } finally {
      this.isRequesting = false;
    }
  }

  private listen(): void {
    const model = this.data?.model;
    if (!model || this.stop) return;
    const made = model.client.listen(this.path, null, {
      ready: () => this.setNode(made.listen.root),
      changed: () => this.setNode(made.listen.root),
      refused: (_status, reason) => {
        this.stop = null;
        this.node = null;
        this.refusal = reason;
        this.publish();
      },
    });
    this.stop = made.stop;
    if (this.isLoadRequested) this.publish();
  }

  private setNode(node: Node | null): void {
    this.node = node;
    this.refusal = null;
    this.publish();
  }
}
