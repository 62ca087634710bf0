import { Component, h } from "preact";
import { displayText } from "../format/text";
import { pathText } from "../tree/keys";
import { Button } from "../widgets/button";
import { DataController } from "./controller";

const SLOW_MILLISECONDS = 3000;

/** The message in place of rows: the tree is empty, loads, or cannot be read. */
export class TreeState extends Component<{ data: DataController }, {}> {
  private readonly openedAt = Date.now();

  render() {
    const { data } = this.props;
    const root = data.model?.root;
    const isAway = data.activeConnection?.state.name === "offline";
    if (!root || root.note?.tone === "wait" || root.note && isAway) return this.loading(isAway);
    if (root.note) return <Message title="The data cannot be shown" text={root.note.text}><Button label="Try again"
      onPress={() => void root.load()} /></Message>;
    if (data.route.filter && data.lines.count === 0) {
      const text = `No key or value among the loaded rows contains “${displayText(data.route.filter, 80)}”.`;
      return <Message title="No matches" text={text}>
        <Button label="Clear the filter" onPress={() => data.filter("")} /></Message>;
    }
    if (root.lineCount === 0) {
      return <Message title="Nothing here yet" text="Write the first value here, or from a shell:">
        <div class="shell-line">{"hearth db set /notices/welcome '\"Hello\"' --data data"}</div>
        <div class="line"><Button label="Add a value" kind="primary" reason={data.readOnlyReason} onPress={() => data.open("add")} />
          <Button label="Paste JSON" reason={data.readOnlyReason} onPress={() => data.open("paste")} /></div></Message>;
    }
    if (data.missingPath) {
      const path = pathText(data.missingPath);
      return <div class="pill" role="status">{`Nothing at ${displayText(path, 60)}`}</div>;
    }
    return <span />;
  }

  private loading(isAway: boolean) {
    const isSlow = Date.now() - this.openedAt > SLOW_MILLISECONDS;
    const bones = [[0, 220], [18, 140], [36, 280], [0, 180], [18, 110], [18, 200], [0, 150]];
    return <div class="bones" aria-busy="true" aria-label="Opening the data">
      {bones.map(([left, width]) => <div class="bone" style={{ marginLeft: left + "px", width: width + "px" }} />)}
      {isAway ? <p class="note-text" role="status">Reconnecting…</p> : isSlow ? <p class="note-text">Waiting for the names at the top of the data…</p> : null}
    </div>;
  }
}

function Message(props?: { title: string; text: string; children?: JSX.Element[] }) {
  return <div class="tree-state"><div role="status"><h2>{props!.title}</h2><p>{props!.text}</p>{props!.children}</div></div>;
}
