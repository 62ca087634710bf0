import { h } from "preact";
import { Button } from "./button";

interface SheetFootProps {
  /** The note beside the buttons. */
  note?: string;
  /** The action, as a verb. */
  label: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** The reason why the action is disabled; it is shown in place of the note. */
  reason?: string | null;
  onCancel: () => void;
}

/** The foot of a sheet that asks for input: cancel, or do it. */
export function SheetFoot(props?: SheetFootProps) {
  const { note, label, isDanger, isDisabled, reason, onCancel } = props!;
  return <span class="line grow">
    <span class="note-text">{reason ?? note ?? ""}</span>
    <Button label="Cancel" kind="quiet" onPress={onCancel} />
    <Button label={label} kind={isDanger ? "primary danger" : "primary"} type="submit" isDisabled={isDisabled} reason={reason} />
  </span>;
}
