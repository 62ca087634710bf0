import { EditType } from "../tree/input";
import { DataController } from "./controller";
import type { TreeView } from "./treeView";

/** The field over the row of the edited value. It keeps its position while the rows below it are reused. */
export class RowEditor {
  private element: HTMLElement | null = null;
  private input: HTMLInputElement | null = null;
  private hint: HTMLElement | null = null;
  private readonly stopObserving: () => void;

  constructor(private readonly data: DataController, private readonly view: TreeView) {
    this.stopObserving = data.editor.observe(() => this.update());
  }

  stop(): void {
    this.stopObserving();
    this.close();
  }

  private update(): void {
    const edit = this.data.editor.state;
    if (!edit || edit.place !== "row") return this.close();
    if (!this.element) this.open();
    this.hint!.textContent = edit.problem ?? (edit.conflict ? "Changed by another client: see the inspector" : edit.isSaving
      ? "Saving…" : "Enter saves, Esc leaves");
    this.hint!.className = edit.problem ? "hint problem" : "hint";
    this.hint!.setAttribute("role", edit.problem ? "alert" : "note");
    if (edit.text !== this.input!.value) this.input!.value = edit.text;
    this.move();
  }

  private open(): void {
    const edit = this.data.editor.state!;
    const element = (this.element = document.createElement("div"));
    element.className = "row-editor";
    const field = document.createElement("div");
    field.className = "field";
    const input = (this.input = document.createElement("input"));
    input.setAttribute("aria-label", `Value of ${edit.path[edit.path.length - 1]}, ${typeName(edit.type)}`);
    input.spellcheck = false;
    input.autocomplete = "off";
    if (edit.type === "number") input.inputMode = "decimal";
    input.value = edit.text;
    field.append(input);
    this.hint = document.createElement("span");
    element.append(field, this.hint);
    input.addEventListener("input", () => this.data.editor.change(input.value));
    input.addEventListener("keydown", event => this.key(event));
    this.move();
    input.focus();
    input.select();
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape") this.data.editor.cancel();
    else if (event.key === "Enter") void this.data.editor.save();
    else return;
    event.preventDefault();
  }

  /** Moves the field to the row's current position. */
  move(): void {
    const edit = this.data.editor.state;
    if (!this.element || !edit) return;
    const at = this.data.lines.indexOf(edit.path);
    this.element.hidden = at < 0;
    if (at < 0) return;
    const row = this.view.rowOf(edit.path)?.element;
    const value = row?.querySelector<HTMLElement>(".value");
    if (value) this.element.style.left = Math.max(0, value.offsetLeft - 8) + "px";
    this.view.overlay(this.element, at);
  }

  private close(): void {
    if (!this.element) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.remove();
    this.element = this.input = this.hint = null;
    if (hadFocus || document.activeElement === document.body) this.view.element.focus();
  }
}

function typeName(type: EditType): string {
  return type === "server" ? "server value" : type;
}
