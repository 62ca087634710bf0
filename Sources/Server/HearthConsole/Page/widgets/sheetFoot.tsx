import { h } from "preact";
import { Button } from "./button";

interface SheetFootProps {
  /** What is worth knowing before it is done. */
  note?: string;
  /** The act, as a verb. */
  label: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  onCancel: () => void;
}

/** The foot of a sheet that asks for something: leave it, or do it. */
export function SheetFoot(props?: SheetFootProps) {
  const { note, label, isDanger, isDisabled, onCancel } = props!;
  return <span class="line grow">
    <span class="note-text">{note ?? ""}</span>
    <Button label="Cancel" kind="quiet" onPress={onCancel} />
    <Button label={label} kind={isDanger ? "primary danger" : "primary"} type="submit" isDisabled={isDisabled} />
  </span>;
}
