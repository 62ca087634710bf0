import { h } from "preact";
import { clock } from "../format/time";
import { Store, View } from "../state/store";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icon";
import { Later } from "../widgets/later";
import { Menu, MenuItem } from "../widgets/menu";
import { jsonText } from "../tree/input";
import { textOf } from "../tree/keys";
import { toExport } from "../tree/node";
import { identityName } from "./connection";
import { DataController } from "./controller";
import { Inspector } from "./inspector";
import { OrderBar } from "./orderBar";
import { PathBar } from "./pathBar";
import { TreePane } from "./treePane";

interface State {
  more: Element | null;
}

/** The view of the current data. */
export class DataView extends View<{ data: DataController; isLetterOn: () => boolean }, State> {
  override state: State = { more: null };
  private pathBar: PathBar | null = null;

  protected stores(): Store[] {
    return [this.props.data];
  }

  override componentDidMount(): void {
    super.componentDidMount();
    this.props.data.editPath = () => this.pathBar?.edit();
  }

  render() {
    const { data, isLetterOn } = this.props;
    const reason = data.readOnlyReason;
    const showMore = (anchor: Element) => this.setState({ more: anchor });
    return <main aria-label="Data">
      <header class="data-head">
        <PathBar data={data} ref={bar => (this.pathBar = bar as PathBar)} />
        {data.route.as ? null : <Button label="View as" icon="eye" shrinks onPress={() => data.open("as")} />}
        {data.route.as ? null : <Button label="Add" icon="plus" shrinks reason={reason} onPress={() => data.acts.change("add")} />}
        <Button label="More" icon="more" kind="quiet" onlyIcon popup="menu" onPress={event => showMore(event.currentTarget as Element)} />
      </header>
      <AsBand data={data} />
      <OfflineBand data={data} />
      <OrderBar data={data} />
      <div class="split">
        <TreePane data={data} isLetterOn={isLetterOn} more={showMore} />
        <Inspector data={data} onMore={showMore} />
      </div>
      {data.sheet ? <Later key={data.sheet} load={() => import("./sheets").then(module => module.Sheets)} given={{ data }}
        onFail={() => data.sheetMissing()} onClose={() => data.open(null)} /> : null}
      {this.state.more ? <Menu name="More" anchor={this.state.more} items={this.moreItems()}
        onClose={() => this.setState({ more: null })} /> : null}
    </main>;
  }

  private moreItems(): MenuItem[] {
    const { data } = this.props;
    const { path } = data.route;
    const reason = data.readOnlyReason;
    const held = path.length ? data.model?.valueAt(path) ?? null : null;
    const root = path.length ? null : "The root has no key.";
    return [
      { label: "Copy path", icon: "copy", keyCap: "c", run: () => data.acts.copy(textOf(path), "Path copied") },
      { label: "Copy JSON", icon: "copy", reason: held ? null : "It is not loaded: open it, or export it.",
        run: () => data.acts.copy(jsonText(toExport(held)), "JSON copied") },
      { label: "Export", icon: "download", run: () => data.acts.exportPart(path) },
      { label: "Add below", icon: "plus", keyCap: "a", reason, startsGroup: true, run: () => data.acts.change("add") },
      { label: "Paste JSON", icon: "data", reason, run: () => data.acts.change("paste") },
      { label: "Priority", icon: "filter", reason: reason ?? root, run: () => data.open("priority") },
      { label: "Rename", icon: "edit", keyCap: "F2", reason: reason ?? root, run: () => data.acts.change("rename") },
      { label: "Move", icon: "move", reason: reason ?? root, run: () => data.acts.change("move") },
      { label: "Duplicate", icon: "copy", keyCap: "d", reason: reason ?? root, run: () => data.acts.change("duplicate") },
      { label: "Remove", icon: "trash", keyCap: "Del", reason, isDanger: true, startsGroup: true, run: () => data.acts.change("remove") },
    ];
  }
}

/** The banner that the data is viewed as another identity. */
function AsBand(props?: { data: DataController }) {
  const { data } = props!;
  const { as } = data.route;
  if (!as) return <span hidden />;
  const what = "nobody" in as ? "not signed in." : `signed in, ${as.claims ? "with claims" : "no claims"}.`;
  return <div class="banner violet"><Icon name="eye" />
    <span class="grow"><b>As <bdi>{identityName(as)}</bdi></b>{" "}
      <span class="word">{what} Rules decide what shows; writing is off.</span></span>
    <Button label="Someone else" onPress={() => data.open("as")} /><Button label="Stop" onPress={() => data.lookAs(null)} /></div>;
}

function OfflineBand(props?: { data: DataController }) {
  const { data } = props!;
  const link = data.activeLink;
  if (link?.state.name === "stopped") {
    return <div class="banner ember" role="status"><Icon name="warning" />
      <span class="grow">The server closed this for good: {link.state.reason}</span></div>;
  }
  if (link?.state.name !== "offline") return <span hidden />;
  const seconds = Math.max(0, Math.ceil((link.state.nextTry - Date.now()) / 1000));
  const since = `No connection since ${clock(link.state.since)}. You see what was there then.`;
  return <div class="banner ember" role="status"><Icon name="warning" />
    <span class="grow">{since} Trying again {seconds ? `in ${seconds} s` : "now"}.</span>
    <Button label="Try now" onPress={() => link.tryNow()} /></div>;
}
