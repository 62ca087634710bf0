import { problemOfKey, pathText } from "../tree/keys";
import { kindOfLine, Line } from "./line";
import type { DataController } from "./controller";
import type { TreeView } from "./treeView";

const TYPED_MILLISECONDS = 800;
let typed = "";
let typedAt = 0;

/** The pane whose tree has the keyboard. */
export interface TreeKeyTarget {
  readonly data: DataController;
  readonly view: TreeView | null;
  readonly areLetterKeysOn: boolean;
  toggle(line: Line): void;
  activated(line: Line, how: "load"): void;
  edit(line: Line): void;
  showMenu(): void;
}

/** Handles a key of the tree. */
export function handleKey(event: KeyboardEvent, pane: TreeKeyTarget): void {
  if (event.target !== pane.view!.element) return;
  const { data } = pane;
  const view = pane.view!;
  const lines = data.lines;
  const at = view.cursorAt();
  const line = lines.at(at);
  const isUndo = (event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "z";
  if (isUndo) void data.actions.undo();
  else if (event.metaKey || event.ctrlKey || event.altKey) return;
  else if (!handleMovement(event, pane, at, line) && !handleAction(event, pane, line) && !handleLetter(event, pane, line)) return;
  event.preventDefault();
  event.stopPropagation();

  function handleMovement(event: KeyboardEvent, pane: TreeKeyTarget, at: number, line: Line | null): boolean {
    const go = (to: number) => moveTo(pane, Math.max(0, Math.min(lines.count - 1, to)));
    switch (event.key) {
      case "ArrowDown": go(at + 1); return true;
      case "ArrowUp": go(at < 0 ? 0 : at - 1); return true;
      case "Home": go(0); return true;
      case "End": go(lines.count - 1); return true;
      case "PageDown": go(at + view.visibleCount); return true;
      case "PageUp": go(at - view.visibleCount); return true;
      case "ArrowRight":
        if (line?.type !== "node" || kindOfLine(line) !== "object") return true;
        if (line.open) go(at + 1);
        else pane.toggle(line);
        return true;
      case "ArrowLeft":
        if (line?.type === "node" && line.open) pane.toggle(line);
        else if (line && line.depth > 0) {
          const above = line.type === "node" ? line.path.slice(0, -1) : line.branch.path;
          go(lines.indexOf(above));
        }
        return true;
      default: return false;
    }
  }
}

function moveTo(pane: TreeKeyTarget, at: number): void {
  const line = pane.data.lines.at(at);
  if (!line) return;
  pane.view!.setCursor(line);
  if (line.type === "node") pane.data.select(line.path);
  pane.view!.scrollTo(at);
}

function handleAction(event: KeyboardEvent, pane: TreeKeyTarget, line: Line | null): boolean {
  switch (event.key) {
    case "Enter":
      if (line?.type === "gap") pane.activated(line, "load");
      else if (line?.type === "node" && line.node && !line.node.children) pane.edit(line);
      else if (line) pane.toggle(line);
      return true;
    case "F2":
      if (line?.type === "node") pane.data.actions.start("rename");
      return true;
    case "Delete":
      if (line?.type === "node" && !event.repeat) pane.data.actions.start("remove");
      return true;
    default: return false;
  }
}

/** Handles single letters, unless they are switched off; then, and for all others, typing finds a key. */
function handleLetter(event: KeyboardEvent, pane: TreeKeyTarget, line: Line | null): boolean {
  if (event.key.length !== 1 || event.key === "/" || event.key === "?" || event.key === "[" || event.key === "]") return false;
  const now = performance.now();
  const isTyping = typed !== "" && now - typedAt < TYPED_MILLISECONDS;
  if (!isTyping && pane.areLetterKeysOn && (event.repeat ? isCommand(event.key) : command(event.key, pane, line))) return true;
  if (event.key === " " || problemOfKey(event.key)) return event.key === " ";
  typed = isTyping ? typed + event.key : event.key;
  typedAt = now;
  selectByPrefix(pane, typed.toLowerCase());
  return true;
}

/** Returns true when a letter is a command: a held key triggers it once. */
function isCommand(key: string): boolean {
  return key.length === 1 && " advc.".includes(key);
}

function command(key: string, pane: TreeKeyTarget, line: Line | null): boolean {
  const { data } = pane;
  const isNode = line?.type === "node";
  switch (key) {
    case " ": data.pause(!data.isPaused); return true;
    case "a": data.actions.start("add"); return true;
    case "d": if (isNode) data.actions.start("duplicate"); return isNode;
    case "v": data.open("as"); return true;
    case "c":
      if (isNode) data.actions.copy(pathText(line.path), "Path copied");
      return isNode;
    case ".": if (isNode) pane.showMenu(); return isNode;
    case "g": return false;
    default: return false;
  }
}

function selectByPrefix(pane: TreeKeyTarget, prefix: string): void {
  const { lines } = pane.data;
  const from = Math.max(0, pane.view!.cursorAt());
  for (let step = prefix.length > 1 ? 0 : 1; step <= lines.count; step++) {
    const at = (from + step) % lines.count;
    const line = lines.at(at);
    if (line?.type === "node" && line.key.toLowerCase().startsWith(prefix)) return moveTo(pane, at);
  }
}
