import { Component, h } from "preact";
import { shown } from "../format/text";
import { textOf } from "../tree/keys";
import { Button } from "../widgets/button";
import { DataController } from "./controller";

const SLOW_MILLISECONDS = 3000;

/** The message in place of rows: the tree is empty, loads, or cannot be read. */
export class TreeState extends Component<{ data: DataController }, {}> {
  private readonly openedAt = Date.now();

  render() {
    const { data } = this.props;
    const root = data.model?.root;
    if (!root || root.note?.tone === "wait") return this.loading();
    if (root.note) return <Told title="The data cannot be shown" text={root.note.text}><Button label="Try again"
      onPress={() => void root.load()} /></Told>;
    if (data.route.filter && data.lines.count === 0) {
      const text = `No key or value among the loaded rows contains “${shown(data.route.filter, 80)}”.`;
      return <Told title="Nothing that is loaded fits" text={text}>
        <Button label="Clear the filter" onPress={() => data.filter("")} /></Told>;
    }
    if (root.lineCount === 0) {
      return <Told title="Nothing here yet" text="Write the first value here, or from a shell:">
        <div class="shell-line">{"hearth db set /notices/welcome '\"Hello\"' --data data"}</div>
        <div class="line"><Button label="Add a value" kind="primary" reason={data.readOnlyReason} onPress={() => data.open("add")} />
          <Button label="Paste JSON" reason={data.readOnlyReason} onPress={() => data.open("paste")} /></div></Told>;
    }
    if (data.missing) {
      const path = textOf(data.missing);
      return <div class="pill" role="status">{`Nothing at ${shown(path, 60)}`}</div>;
    }
    return <span />;
  }

  private loading() {
    const isSlow = Date.now() - this.openedAt > SLOW_MILLISECONDS;
    const bones = [[0, 220], [18, 140], [36, 280], [0, 180], [18, 110], [18, 200], [0, 150]];
    return <div class="bones" aria-busy="true" aria-label="Opening the data">
      {bones.map(([left, width]) => <div class="bone" style={{ marginLeft: left + "px", width: width + "px" }} />)}
      {isSlow ? <p class="note-text">Waiting for the names at the top of the data…</p> : null}
    </div>;
  }
}

function Told(props?: { title: string; text: string; children?: JSX.Element[] }) {
  return <div class="tree-state"><div role="status"><h2>{props!.title}</h2><p>{props!.text}</p>{props!.children}</div></div>;
}
