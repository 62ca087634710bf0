import { formatCount, formatRate } from "../format/number";
import { displayText } from "../format/text";
import { fullTime, shortTime } from "../format/time";
import { preview, valueText } from "../format/value";
import { pathText } from "../tree/keys";
import { Scalar } from "../tree/node";
import { timeOfPushId } from "../tree/pushId";
import { iconElement } from "../widgets/icons";
import { FLASHES_PER_SECOND_MAXIMUM, GLOW_MILLISECONDS } from "./changeActivity";
import { countOfLine, GapLine, kindOfLine, Line, NodeLine, NoteLine } from "./line";
import type { TreeModel } from "./model";

export interface RowContext {
  model: TreeModel;
  rowHeight: number;
  isMarked(line: Line): boolean;
  /** The current times: performance time for glow, wall time for dates. */
  now: number;
  today: number;
}

let elementCount = 0;

function span(parent: Element, name: string): HTMLSpanElement {
  const element = document.createElement("span");
  element.className = name;
  parent.append(element);
  return element;
}

function button(parent: Element, action: string): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = "button";
  element.tabIndex = -1;
  element.className = "link";
  element.dataset.action = action;
  parent.append(element);
  return element;
}

/** A visible row, reused for any line. It changes only the parts of the document that differ. */
export class RowElement {
  readonly element = document.createElement("div");
  line: Line | null = null;
  private readonly bar = span(this.element, "ember-bar");
  private readonly twisty = span(this.element, "twisty");
  private readonly key = document.createElement("bdi");
  private readonly keyTime = document.createElement("i");
  private readonly keyRest = document.createElement("b");
  private readonly colon = document.createElement("span");
  private readonly value: HTMLSpanElement;
  private readonly preview: HTMLSpanElement;
  private readonly note: HTMLSpanElement;
  private readonly loadButton: HTMLButtonElement;
  private readonly goToButton: HTMLButtonElement;
  private readonly meta: HTMLSpanElement;
  private readonly rate: HTMLSpanElement;
  private readonly time: HTMLSpanElement;
  private readonly chip: HTMLSpanElement;
  private readonly count: HTMLSpanElement;
  private readonly texts = new Map<Element, string>();
  private readonly attributes = new Map<string, string | null>();
  private shownPath = "";
  private flashedAt = 0;
  private changedBelowAt = 0;
  private animationPhase = 0;

  constructor() {
    this.element.id = "row-" + ++elementCount;
    this.element.setAttribute("role", "treeitem");
    this.twisty.append(iconElement("chevron"), iconElement("lock"));
    this.key.className = "key";
    this.key.append(this.keyTime, this.keyRest);
    this.colon.className = "colon";
    this.colon.textContent = ":";
    this.element.append(this.key, this.colon);
    this.value = span(this.element, "value");
    this.preview = span(this.element, "preview");
    this.note = span(this.element, "gap-text");
    this.loadButton = button(this.element, "load");
    this.goToButton = button(this.element, "go");
    this.meta = span(this.element, "meta");
    this.chip = span(this.meta, "chip violet");
    this.rate = span(this.meta, "rate");
    this.time = span(this.meta, "time");
    this.count = span(this.meta, "count");
  }

  place(top: number): void {
    this.element.style.transform = `translateY(${top}px)`;
  }

  show(line: Line, context: RowContext): void {
    this.line = line;
    this.attribute("aria-level", String(line.depth + 1));
    this.attribute("aria-selected", String(context.isMarked(line)));
    const indent = 12 + line.depth * 18 + "px";
    if (this.element.style.paddingLeft !== indent) this.element.style.paddingLeft = indent;
    switch (line.type) {
      case "node": return this.showNode(line, context);
      case "gap": return this.showGap(line);
      case "note": return this.showNote(line);
    }
  }

  private showNode(line: NodeLine, context: RowContext): void {
    const { model } = context;
    const kind = kindOfLine(line);
    const text = pathText(line.path);
    const access = model.isImpersonating && line.window.source === "rows" ? model.rowListens.accessOf(text) : null;
    const isHidden = access?.access === "hidden";
    const isInner = kind === "object";
    this.attribute("aria-expanded", isInner && !isHidden ? String(line.open !== null) : null);
    this.attribute("aria-posinset", line.position ? String(line.position) : null);
    this.attribute("aria-setsize", line.size ? String(line.size) : null);
    this.attribute("class", `row ${isInner ? "inner" : "leaf"}${isHidden ? " hidden-row" : ""}`);
    const time = timeOfPushId(line.key);
    this.text(this.keyTime, time === null ? "" : line.key.slice(0, 8));
    this.text(this.keyRest, time === null ? displayText(line.key, 200) : line.key.slice(8));
    const value = !isHidden && line.node && !line.node.children ? line.node.value : null;
    this.showValue(value, isInner, isHidden, line);
    this.text(this.preview, isInner && !line.open && line.node ? preview(line.node) : "");
    this.text(this.note, "");
    this.hide(this.loadButton, this.goToButton);
    this.text(this.time, time === null ? "" : shortTime(time, context.today));
    if (time !== null) this.time.title = fullTime(time);
    this.text(this.chip, access?.access === "parts" ? "in parts" : isHidden ? "hidden" : "");
    this.text(this.count, isInner && !isHidden && time === null ? formatCount(countOfLine(line)) : "");
    this.glow(line, text, context, isInner);
  }

  private showValue(value: Scalar | null, isInner: boolean, isHidden: boolean, line: NodeLine): void {
    this.colon.hidden = isInner || isHidden || (value === null && !line.info);
    const lit = / lit-\w$/.exec(this.value.className)?.[0] ?? "";
    this.attributeOf(this.value, "class", `value ${typeof value}${lit}`);
    const pending = !isInner && !isHidden && value === null && line.info && line.info.kind !== "null" ? "…" : "";
    this.text(this.value, value === null ? pending : valueText(value));
  }

  /** Highlights a changed value for a short time; the bar at the edge does the same for closed nodes and hidden values. */
  private glow(line: NodeLine, text: string, context: RowContext, isInner: boolean): void {
    const { activity } = context.model;
    const { now } = context;
    const own = activity.changedAt(line.path);
    const ownRate = activity.ownRate(line.path);
    const isSame = this.shownPath === text;
    const isFast = ownRate > FLASHES_PER_SECOND_MAXIMUM;
    this.shownPath = text;
    const isShown = !isInner || !line.open || line.open.hasGaps;
    const lastChangeAt = isShown ? activity.changedBelowAt(line.path) : own;
    if (!isSame || isFast || own !== this.flashedAt) {
      const isLit = !isFast && !isInner && now - own < GLOW_MILLISECONDS;
      this.animate(this.value, "lit", isLit, now - own);
      this.flashedAt = own;
    }
    const rateBelow = !isInner ? ownRate : line.open && !line.open.hasGaps ? activity.rateOfChildren(line.path) : activity.rateBelow(line.path);
    const isSteady = isFast || (isInner && rateBelow > FLASHES_PER_SECOND_MAXIMUM && now - lastChangeAt < GLOW_MILLISECONDS);
    if (!isSame || isSteady || lastChangeAt !== this.changedBelowAt) {
      if (isSteady) this.attributeOf(this.bar, "class", "ember-bar steady");
      else this.animate(this.bar, "ember-bar hot", now - lastChangeAt < GLOW_MILLISECONDS, now - lastChangeAt);
      this.changedBelowAt = isSteady ? -1 : lastChangeAt;
    }
    this.text(this.rate, formatRate(rateBelow));
    if (!isSteady && now - lastChangeAt >= GLOW_MILLISECONDS) this.attributeOf(this.bar, "class", "ember-bar");
    if (now - own >= GLOW_MILLISECONDS && this.value.className.includes(" lit")) this.animate(this.value, "lit", false, 0);
  }

  /** Alternates between two names for one animation: a class with a new name restarts it. */
  private animate(element: HTMLElement, name: string, isOn: boolean, elapsed: number): void {
    const [base, state] = element === this.bar ? ["ember-bar", "hot"] : [this.value.className.replace(/ lit-\w/, ""), name];
    if (!isOn) return this.attributeOf(element, "class", base!);
    this.animationPhase ^= 1;
    element.style.animationDelay = -Math.max(0, Math.round(elapsed)) + "ms";
    this.attributeOf(element, "class", `${base} ${state}-${this.animationPhase ? "a" : "b"}`);
  }

  private showGap(line: GapLine): void {
    const { gap, branch } = line;
    this.plain("row gap");
    const gaps = branch.parts.length - branch.windows.length;
    const missing = Math.max(0, branch.count - branch.loaded);
    const place = !gap.above ? "before" : !gap.below ? "after" : "between";
    this.text(this.note, gaps === 1 && missing > 0 ? `${formatCount(missing)} ${place}` : `More ${place}`);
    this.label(this.loadButton, gap.isLoading ? "Loading…" : "Load 200");
    if (branch.order.by === "key") this.label(this.goToButton, "Go to key or time");
    else this.hide(this.goToButton);
  }

  private showNote(line: NoteLine): void {
    const isLate = performance.now() - line.branch.noteSince > 150 || line.note.tone !== "wait";
    this.plain(`row note-row ${line.note.tone}${isLate ? "" : " early"}`);
    this.text(this.note, line.note.tone === "wait" ? "Opening…" : line.note.text);
    this.hide(this.goToButton);
    if (line.note.tone === "error") this.label(this.loadButton, "Try again");
    else this.hide(this.loadButton);
  }

  private plain(name: string): void {
    this.shownPath = "";
    this.attribute("class", name);
    for (const attribute of ["aria-expanded", "aria-posinset", "aria-setsize"]) this.attribute(attribute, null);
    for (const element of [this.keyTime, this.keyRest, this.value, this.preview, this.rate, this.time, this.chip, this.count]) {
      this.text(element, "");
    }
    this.colon.hidden = true;
    this.attributeOf(this.bar, "class", "ember-bar");
  }

  private text(element: HTMLElement, text: string): void {
    if (this.texts.get(element) === text) return;
    this.texts.set(element, text);
    element.textContent = text;
    element.hidden = text === "";
  }

  private label(element: HTMLElement, text: string): void {
    this.text(element, text);
  }

  private hide(...elements: HTMLElement[]): void {
    for (const element of elements) this.text(element, "");
    for (const element of elements) element.hidden = true;
  }

  private attribute(name: string, value: string | null): void {
    if (this.attributes.get(name) === value) return;
    this.attributes.set(name, value);
    if (value === null) this.element.removeAttribute(name);
    else this.element.setAttribute(name, value);
  }

  private attributeOf(element: HTMLElement, name: string, value: string): void {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}
