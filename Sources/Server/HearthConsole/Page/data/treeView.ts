import { isSamePath, Path, pathText } from "../tree/keys";
import { Line, NodeLine } from "./line";
import { Lines } from "./lines";
import type { TreeModel } from "./model";
import { RowElement } from "./rowElement";

/** The number of rows drawn above and below the visible ones. */
const OVERSCAN = 6;
export const ROW_HEIGHT = 28;
export const ROW_HEIGHT_NARROW = 40;

export interface TreeViewHost {
  model(): TreeModel | null;
  lines(): Lines;
  selected(): Path | null;
  activated(line: Line, how: "select" | "toggle" | "edit" | "load" | "go"): void;
  /** Notifies of rows that were added above the first visible one, or scrolled to. */
  rowsAddedAbove(count: number): void;
}

/** The rows on the screen: about sixty elements that are reused. It draws once a frame, and only differences. */
export class TreeView {
  readonly element = document.createElement("div");
  private readonly canvas = document.createElement("div");
  private rows: RowElement[] = [];
  private frame = 0;
  private isStructural = true;
  /** True when the user's own opening or closing is among the causes. */
  private isOwn = false;
  /** The direction in which the user scrolled since the last frame. */
  private direction: "up" | "down" | null = null;
  private lastTop = 0;
  /** The scroll position that the page itself set: it loads no rows. */
  private scriptedTop = -1;
  private firstDrawnLine = -1;
  /** The first visible node, and its line. */
  private anchor: { path: Path; at: number } | null = null;
  private newAbove = 0;
  private cursor: Line | null = null;
  private isStopped = false;
  private readonly narrow = matchMedia("(max-width: 820px)");
  private readonly resized = new ResizeObserver(() => this.invalidate(true));
  rowHeight = ROW_HEIGHT;

  constructor(private readonly host: TreeViewHost) {
    this.element.className = "tree";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "tree");
    this.element.setAttribute("aria-label", "Data");
    this.canvas.className = "tree-canvas";
    this.canvas.setAttribute("role", "none");
    this.element.append(this.canvas);
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.element.addEventListener("click", event => this.clicked(event));
    this.element.addEventListener("dblclick", event => this.doubleClicked(event));
    this.resized.observe(this.element);
    this.narrow.addEventListener("change", this.widthChanged);
    this.widthChanged();
  }

  stop(): void {
    this.isStopped = true;
    cancelAnimationFrame(this.frame);
    this.resized.disconnect();
    this.narrow.removeEventListener("change", this.widthChanged);
  }

  private readonly widthChanged = () => {
    this.rowHeight = this.narrow.matches ? ROW_HEIGHT_NARROW : ROW_HEIGHT;
    this.invalidate(true);
  };

  /** Requests the next frame. `isStructural`: lines were added or removed; `isLive`: by another client. */
  invalidate(isStructural: boolean, isLive = false): void {
    this.isStructural ||= isStructural;
    if (isStructural && !isLive) this.isOwn = true;
    if (!this.frame && !this.isStopped) this.frame = requestAnimationFrame(() => this.draw());
  }

  private scrolled(): void {
    const top = this.element.scrollTop;
    if (top !== this.scriptedTop && top !== this.lastTop) this.direction = top > this.lastTop ? "down" : "up";
    this.lastTop = top;
    this.scriptedTop = -1;
    this.invalidate(false);
  }

  private scrollBy(top: number): void {
    this.element.scrollTop = top;
    this.scriptedTop = this.lastTop = this.element.scrollTop;
  }

  get visibleCount(): number {
    return Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
  }

  private draw(): void {
    this.frame = 0;
    const model = this.host.model();
    if (!model) return;
    const lines = this.host.lines();
    const height = this.element.clientHeight;
    if (this.isStructural) this.restructure(lines);
    if ((this.element.scrollTop === 0 || this.direction === "up") && this.newAbove) this.host.rowsAddedAbove((this.newAbove = 0));
    const top = this.element.scrollTop;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - OVERSCAN);
    const last = Math.min(lines.count, Math.ceil((top + height) / this.rowHeight) + OVERSCAN);
    this.drawRows(model, lines, first, last);
    const shown: Line[] = [];
    for (let at = Math.floor(top / this.rowHeight); at < Math.min(lines.count, Math.ceil((top + height) / this.rowHeight)); at++) {
      const line = lines.at(at);
      if (line) shown.push(line);
    }
    this.keepAnchor(lines, top);
    model.show(shown, performance.now());
    if (this.direction) this.loadGap(shown, this.direction);
    this.direction = null;
    this.isStructural = this.isOwn = false;
  }

  /** Keeps the first visible row in place. At the very top new first rows are shown. */
  private restructure(lines: Lines): void {
    const size = lines.count * this.rowHeight + "px";
    const top = this.element.scrollTop;
    if (this.anchor && top > 0) {
      const at = lines.indexOf(this.anchor.path);
      const came = at < 0 ? 0 : at - this.anchor.at;
      if (came !== 0) {
        this.canvas.style.height = size;
        this.scrollBy(top + came * this.rowHeight);
        if (came > 0 && !this.isOwn) this.host.rowsAddedAbove((this.newAbove += came));
      }
    }
    if (this.canvas.style.height !== size) this.canvas.style.height = size;
  }

  private keepAnchor(lines: Lines, top: number): void {
    const at = Math.floor(top / this.rowHeight);
    for (let line = at; line < at + 4; line++) {
      const found = lines.at(line);
      if (found?.type !== "node") continue;
      this.anchor = { path: found.path, at: line };
      return;
    }
    this.anchor = null;
  }

  private drawRows(model: TreeModel, lines: Lines, first: number, last: number): void {
    const selected = this.host.selected();
    const count = Math.max(0, last - first);
    while (this.rows.length < count) {
      const row = new RowElement();
      this.rows.push(row);
      this.canvas.append(row.element);
    }
    const context = {
      model, rowHeight: this.rowHeight, now: performance.now(), today: Date.now(),
      isMarked: (line: Line) => this.isCursor(line, selected),
    };
    const pool = this.rows.length;
    let active = "";
    for (let slot = 0; slot < pool; slot++) {
      // A line keeps its element while it is scrolled: the line's index modulo the size of the pool selects the element.
      const at = first + ((slot - (first % pool) + pool) % pool);
      const row = this.rows[slot]!;
      const line = at < last ? lines.at(at) : null;
      row.element.hidden = line === null;
      row.line = line;
      if (!line) continue;
      row.show(line, context);
      row.place(at * this.rowHeight);
      if (this.isCursor(line, selected)) active = row.element.id;
    }
    if (active) this.element.setAttribute("aria-activedescendant", active);
    else this.element.removeAttribute("aria-activedescendant");
    this.firstDrawnLine = first;
  }

  private isCursor(line: Line, selected: Path | null): boolean {
    if (this.cursor && this.cursor.type !== "node") {
      return line.type === "gap" && this.cursor.type === "gap" && line.gap === this.cursor.gap;
    }
    return line.type === "node" && selected !== null && isSamePath(line.path, selected);
  }

  /** Loads rows of a gap that is scrolled into view, from the side of the scrolling. */
  private loadGap(shown: Line[], direction: "up" | "down"): void {
    const gaps = shown.filter(line => line.type === "gap");
    const line = direction === "down" ? gaps[0] : gaps[gaps.length - 1];
    if (line?.type !== "gap" || line.gap.isLoading) return;
    const { above, below } = line.gap;
    void line.branch.fill(line.gap, (direction === "down" && above) || !below ? "above" : "below");
  }

  private lineOfEvent(event: Event): Line | null {
    const element = (event.target as Element).closest(".row");
    return this.rows.find(row => row.element === element)?.line ?? null;
  }

  private clicked(event: MouseEvent): void {
    const line = this.lineOfEvent(event);
    if (!line) return;
    const target = event.target as Element;
    const action = target.closest<HTMLElement>("[data-action]")?.dataset.action as "load" | "go" | undefined;
    if (action) return this.host.activated(line, action);
    this.setCursor(line);
    this.host.activated(line, target.closest(".twisty") ? "toggle" : "select");
  }

  private doubleClicked(event: MouseEvent): void {
    const line = this.lineOfEvent(event);
    if (!line || (event.target as Element).closest("[data-action], .twisty")) return;
    this.host.activated(line, line.type === "node" && line.node && !line.node.children ? "edit" : "toggle");
  }

  setCursor(line: Line | null): void {
    this.cursor = line;
    this.invalidate(false);
  }

  /** Returns the cursor's line, or -1. */
  cursorAt(): number {
    const lines = this.host.lines();
    const cursor = this.cursor;
    if (cursor?.type === "gap") {
      for (let at = 0; at < lines.count; at++) {
        const line = lines.at(at);
        if (line?.type === "gap" && line.gap === cursor.gap) return at;
      }
    }
    const selected = this.host.selected();
    return selected ? lines.indexOf(selected) : -1;
  }

  /** Scrolls a line into view. */
  scrollTo(at: number, isCentred = false): void {
    const top = at * this.rowHeight;
    const view = this.element;
    this.canvas.style.height = this.host.lines().count * this.rowHeight + "px";
    if (isCentred) this.scrollBy(top - view.clientHeight / 3);
    else if (top < view.scrollTop) this.scrollBy(top);
    else if (top + this.rowHeight > view.scrollTop + view.clientHeight) this.scrollBy(top + this.rowHeight - view.clientHeight);
    this.anchor = null;
    this.invalidate(true);
  }

  /** Prepares for another tree. */
  restart(): void {
    this.anchor = null;
    this.cursor = null;
    this.scrollToTop();
    this.invalidate(true);
  }

  scrollToTop(): void {
    this.scrollBy(0);
    this.host.rowsAddedAbove((this.newAbove = 0));
  }

  /** Returns the element of a path's row, while it is visible. */
  rowOf(path: Path): RowElement | null {
    const text = pathText(path);
    return this.rows.find(row => row.line?.type === "node" && !row.element.hidden
      && pathText((row.line as NodeLine).path) === text) ?? null;
  }

  /** Puts an element over the rows, at a line. */
  overlay(element: HTMLElement, at: number): void {
    element.style.transform = `translateY(${at * this.rowHeight}px)`;
    if (!element.parentElement) this.canvas.append(element);
  }

  get firstDrawn(): number {
    return this.firstDrawnLine;
  }
}
