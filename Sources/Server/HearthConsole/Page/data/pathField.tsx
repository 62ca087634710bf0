import { h } from "preact";
import { ConsoleApi } from "../api/console";
import { formatCount } from "../format/number";
import { displayText } from "../format/text";
import { kindName } from "../format/value";
import { pathText } from "../tree/keys";
import { ComboField } from "../widgets/comboField";
import { complete, Suggestion } from "./completion";

interface Props {
  api: ConsoleApi;
  database: string;
  value: string;
  problem?: string | null;
  onType: (text: string) => void;
}

/** A field for a path, which suggests existing keys. */
export function PathField(props?: Props) {
  const { api, database, value, problem, onType } = props!;
  // The path of a key with children ends with a slash, for the next completion.
  const text = ({ path, row }: Suggestion) => pathText(path) + (row.kind === "object" ? "/" : "");
  return <ComboField name="paths" label="Path" value={value} problem={problem} foundLabel="Keys" onType={onType}
    onChoose={(found: Suggestion) => onType(text(found))} completed={text}
    search={(typed: string) => complete(api, database, typed)} keyOf={(found: Suggestion) => pathText(found.path)}
    option={suggestionParts} />;
}

/** Returns the parts of a suggestion: the key, and its size. */
export function suggestionParts({ path, row }: Suggestion): JSX.Element[] {
  return [<bdi class="mono cut">{displayText(path[path.length - 1]!)}</bdi>,
    <span class="after">{row.kind === "object" ? formatCount(row.count) : kindName(row.kind)}</span>];
}
