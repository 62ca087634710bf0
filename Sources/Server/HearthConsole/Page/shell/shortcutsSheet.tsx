import { h } from "preact";
import { Sheet } from "../widgets/sheet";
import { ConsoleView } from "../views";
import { App } from "./app";
import { COMMAND_KEY } from "./rail";

const keys = (views: readonly ConsoleView[]): { name: string; keys: [string, string][] }[] => [
  { name: "Everywhere", keys: [[COMMAND_KEY, "go to a path or command"], ["/", "type a path"], ["?", "this list"],
    ["g " + views.map(view => view.key).join(" "),
      views.map(view => view.title.toLowerCase()).join(", ")], ["[ ]", "back, forward"], ["Esc", "close"]] },
  { name: "Tree", keys: [["↑ ↓", "row above, below"], ["→ ←", "open, close, up"], ["Home End", "first, last row"],
    ["PgUp PgDn", "a screen"], ["abc", "find a key"], ["Space", "pause"]] },
  { name: "Selected node", keys: [["Enter", "edit, or open"], ["a", "add below"], ["F2", "rename"], ["d", "duplicate"],
    ["Del", "remove"], [COMMAND_KEY.replace("K", "Z"), "undo"], ["c", "copy path"], ["v", "view as"], [".", "more"]] },
];

export function ShortcutsSheet(props?: { app: App; isOn: boolean; onSwitch: () => void }) {
  const { app, isOn, onSwitch } = props!;
  return <Sheet title="Keys" isWide onClose={() => app.showOverlay(null)} foot={<label class="line"><input type="checkbox" checked={isOn}
    onChange={onSwitch} />Single letters do something</label>}>
    <div class="keys">{keys(app.views).map(group => <section key={group.name}><h3>{group.name}</h3>
      <dl>{group.keys.map(([key, does]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}</dl></section>)}</div>
  </Sheet>;
}
