import { h } from "preact";
import { Sheet } from "../widgets/sheet";
import { App } from "./app";
import { COMMAND_KEY } from "./rail";

const KEYS: { name: string; keys: [string, string][] }[] = [
  { name: "Everywhere", keys: [[COMMAND_KEY, "go to a path, or do something"], ["/", "type a path"], ["?", "this list"],
    ["g d r p n s", "data, rules, people, now, settings"], ["[ ]", "back, forward"], ["Esc", "close"]] },
  { name: "Tree", keys: [["↑ ↓", "row above, below"], ["→ ←", "open, close, up"], ["Home End", "first, last row"],
    ["PgUp PgDn", "a screen"], ["abc", "find a key"], ["Space", "pause"]] },
  { name: "Selected node", keys: [["Enter", "edit, or open"], ["a", "add below"], ["F2", "rename"], ["d", "duplicate"],
    ["Del", "remove"], [COMMAND_KEY.replace("K", "Z"), "undo"], ["c", "copy path"], ["v", "view as"], [".", "more"]] },
];

export function KeysSheet(props?: { app: App; isOn: boolean; onSwitch: () => void }) {
  const { app, isOn, onSwitch } = props!;
  return <Sheet title="Keys" isWide onClose={() => app.show(null)} foot={<label class="line"><input type="checkbox" checked={isOn}
    onChange={onSwitch} />Single letters do something</label>}>
    <div class="keys">{KEYS.map(group => <section key={group.name}><h3>{group.name}</h3>
      <dl>{group.keys.map(([key, does]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}</dl></section>)}</div>
  </Sheet>;
}
