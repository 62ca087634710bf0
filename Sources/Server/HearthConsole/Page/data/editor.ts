import { Path, pathText } from "../tree/keys";
import { copyOf, Json, Node, Scalar } from "../tree/node";
import { EditType, editTypeOf, readInput } from "../tree/input";
import { errorText } from "../state/session";
import { Store } from "../state/store";
import { Edits, StaleError, Undo } from "./edits";

export interface EditState {
  path: Path;
  /** The value when the edit began: the write succeeds only if it is unchanged. */
  seen: Node | null;
  type: EditType;
  text: string;
  place: "row" | "inspector";
  problem: string | null;
  conflict: { current: Node | null } | null;
  isSaving: boolean;
  isTouched: boolean;
}

/** The single open edit. */
export class Editor extends Store {
  state: EditState | null = null;

  constructor(private readonly edits: Edits, private readonly done: (undo: Undo) => void) {
    super();
  }

  begin(path: Path, seen: Node | null, place: "row" | "inspector"): void {
    const value = seen?.value ?? null;
    this.set({
      path, seen: seen && copyOf(seen), type: editTypeOf(value), text: textOfValue(value), place,
      problem: null, conflict: null, isSaving: false, isTouched: false,
    });
  }

  change(text: string): void {
    if (this.state) this.set({ ...this.state, text, problem: null, isTouched: true });
  }

  changeType(type: EditType): void {
    if (!this.state || this.state.type === type) return;
    const text = type === "boolean" ? String(this.state.text === "true") : type === "server" ? "timestamp" : this.state.text;
    this.set({ ...this.state, type, text, problem: null, isTouched: true });
  }

  cancel(): void {
    this.set(null);
  }

  /** Writes, if the value is unchanged. */
  async save(): Promise<boolean> {
    const edit = this.state;
    if (!edit || edit.isSaving) return false;
    const input = readInput(edit.type, edit.text);
    if ("problem" in input) {
      this.set({ ...edit, problem: input.problem });
      return false;
    }
    this.set({ ...edit, isSaving: true, problem: null });
    try {
      const told = `Changed ${edit.path[edit.path.length - 1]}`;
      const undo = await this.edits.put(edit.path, edit.seen, withPriority(input.value, edit.seen), told);
      this.set(null);
      this.done(undo);
      return true;
    } catch (error) {
      const conflict = error instanceof StaleError ? { current: error.current } : null;
      this.set({ ...edit, isSaving: false, conflict, problem: conflict ? null : errorText(error) });
      return false;
    }
  }

  /** Resolves a conflict: overwrites the current value, which the user has seen. */
  keepMine(): Promise<boolean> {
    if (this.state?.conflict) this.set({ ...this.state, seen: this.state.conflict.current, conflict: null });
    return this.save();
  }

  isAt(path: Path): boolean {
    return this.state !== null && pathText(this.state.path) === pathText(path);
  }

  private set(state: EditState | null): void {
    this.state = state;
    this.publish();
  }
}

/** Returns the value with its priority. */
function withPriority(value: Json, seen: Node | null): Json {
  if (!seen || seen.priority === null || value === null) return value;
  return { ".value": value, ".priority": seen.priority };
}

function textOfValue(value: Scalar | null): string {
  return value === null ? "" : String(value);
}
