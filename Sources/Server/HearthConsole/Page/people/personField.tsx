import { h } from "preact";
import { ConsoleApi } from "../api/console";
import { displayText } from "../format/text";
import { ComboField } from "../widgets/comboField";
import { Person } from "./api";
import { claimsOf, nameOf } from "./personText";

interface Props {
  api: ConsoleApi;
  label: string;
  value: string;
  problem?: string | null;
  onType: (text: string) => void;
  onChoose: (person: Person) => void;
}

const SHOWN = 8;

/** A field for a uid, which finds accounts by address, name or number. */
export function PersonField(props?: Props) {
  const { api, label, value, problem, onType, onChoose } = props!;
  return <ComboField name="people" label={label} value={value} problem={problem} foundLabel="People found" onType={onType} onChoose={onChoose}
    search={async (text: string) => (await api.request<{ people: Person[] }>("GET", "/people?" + new URLSearchParams({ q: text, limit: String(SHOWN) }))).people}
    keyOf={(person: Person) => person.localId}
    option={(person: Person) => [<bdi class="cut">{displayText(nameOf(person), 80)}</bdi>, ...person.disabled ? [<span class="chip red">disabled</span>] : [],
      <bdi class="mono cut note-text">{displayText(person.localId, 60)}</bdi>, <bdi class="mono cut after">{displayText(claimsOf(person), 60)}</bdi>]} />;
}
