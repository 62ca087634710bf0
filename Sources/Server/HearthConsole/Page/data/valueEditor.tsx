import { h } from "preact";
import { displayText } from "../format/text";
import { valueText } from "../format/value";
import { Store, View } from "../state/store";
import { EditType } from "../tree/input";
import { Node } from "../tree/node";
import { Button } from "../widgets/button";
import { SegmentedControl } from "../widgets/segmentedControl";
import { DataController } from "./controller";

const TYPES: { value: EditType; label: string }[] = [
  { value: "text", label: "Text" }, { value: "number", label: "Number" }, { value: "boolean", label: "Boolean" },
    { value: "server", label: "Server value" },
];

/** The editor of one value with a chosen type. */
export class ValueEditor extends View<{ data: DataController }> {
  protected stores(): Store[] {
    return [this.props.data.editor];
  }

  override componentDidMount(): void {
    super.componentDidMount();
    if (this.props.data.editor.state?.place !== "inspector") return;
    this.base.querySelector<HTMLElement>("input, textarea, [aria-pressed='true']")?.focus();
  }

  private key(event: KeyboardEvent): void {
    const { editor } = this.props.data;
    const isLong = event.target instanceof HTMLTextAreaElement;
    if (event.key === "Escape") editor.cancel();
    else if (event.key === "Enter" && (!isLong || event.metaKey || event.ctrlKey)) void editor.save();
    else return;
    event.preventDefault();
  }

  render() {
    const { editor } = this.props.data;
    const edit = editor.state;
    if (!edit) return <span />;
    const before = edit.seen?.value ?? null;
    return <div style={{ display: "grid", gap: "8px" }} onKeyDown={event => this.key(event)}>
      <SegmentedControl name="Type" value={edit.type} options={TYPES} onChoose={(type: EditType) => editor.changeType(type)} />
      <ValueField type={edit.type} text={edit.text} isBad={edit.problem !== null} onChange={text => editor.change(text)} />
      {edit.problem ? <span class="problem" role="alert">{edit.problem}</span> : null}
      {edit.conflict ? <ConflictNotice current={edit.conflict.current} mine={edit.text} onKeep={() => void editor.keepMine()}
        onTake={() => editor.cancel()} /> :
        <div class="line"><span class="note-text cut grow">{before === null ? "" : <span>was <span class="mono">
          {valueText(typeof before === "string" ? displayText(before, 40) : before)}</span></span>}</span>
          <Button label="Cancel" kind="quiet" onPress={() => editor.cancel()} />
          <Button label={edit.isSaving ? "Saving…" : "Save"} kind="primary" keyCap="⏎" isDisabled={edit.isSaving}
            onPress={() => void editor.save()} /></div>}
    </div>;
  }
}

interface ValueProps {
  type: EditType;
  text: string;
  isBad?: boolean;
  onChange: (text: string) => void;
}

/** The field for a value of one type. */
export function ValueField(props?: ValueProps) {
  const { type, text, isBad, onChange } = props!;
  const input = (event: Event) => onChange((event.target as HTMLInputElement).value);
  if (type === "boolean") {
    return <SegmentedControl name="Value" value={text === "true"} options={[{ value: true, label: "true" }, { value: false, label: "false" }]}
      onChoose={value => onChange(String(value))} />;
  }
  if (type === "server") return <ServerValue text={text} onChange={onChange} />;
  const name = `field${isBad ? " bad" : ""}`;
  if (type === "json" || (type === "text" && (text.length > 60 || text.includes("\n")))) {
    return <div class={name}><textarea rows={type === "json" ? 8 : 4} aria-label="Value" spellCheck={false} value={text}
      onInput={input} /></div>;
  }
  return <div class={name}><input class="mono" aria-label="Value" inputMode={type === "number" ? "decimal" : undefined}
    spellCheck={false} autocomplete="off" value={text} onInput={input} /></div>;
}

function ServerValue(props?: { text: string; onChange: (text: string) => void }) {
  const { text, onChange } = props!;
  const isTime = text === "timestamp";
  return <div style={{ display: "grid", gap: "8px" }}>
    <SegmentedControl name="Server value" value={isTime} options={[{ value: true, label: "Time of the write" }, { value: false,
      label: "Increment" }]} onChoose={value => onChange(value ? "timestamp" : "increment:1")} />
    {isTime ? <span class="note-text">Milliseconds since 1970, by the server's clock.</span> :
      <label class="labelled"><span>Add</span><span class="field"><input class="mono" inputMode="decimal"
        value={text.replace(/^increment:?/, "")}
        onInput={event => onChange("increment:" + (event.target as HTMLInputElement).value)} /></span></label>}
  </div>;
}

function ConflictNotice(props?: { current: Node | null; mine: string; onKeep: () => void; onTake: () => void }) {
  const { current, mine, onKeep, onTake } = props!;
  const theirs = current === null ? "nothing" : current.children ? "an object" : valueText(current.value!);
  return <div class="conflict" role="alert"><p>Another client changed this value meanwhile. Your edit was not written.</p>
    <dl><dt>Now</dt><dd>{theirs}</dd><dt>Yours</dt><dd>{displayText(mine, 200)}</dd></dl>
    <div class="line"><Button label="Keep theirs" onPress={onTake} /><Button label="Overwrite with mine" kind="primary"
      onPress={onKeep} /></div></div>;
}
