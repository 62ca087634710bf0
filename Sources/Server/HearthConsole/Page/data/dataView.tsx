import { h } from "preact";
import { timeOfDay } from "../format/time";
import { Store, View } from "../state/store";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icon";
import { LazyComponent } from "../widgets/lazyComponent";
import { Menu, MenuItem } from "../widgets/menu";
import { jsonText } from "../tree/input";
import { pathText } from "../tree/keys";
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
export class DataView extends View<{ data: DataController; areLetterKeysOn: () => boolean }, State> {
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
    const { data, areLetterKeysOn } = this.props;
    const reason = data.readOnlyReason;
    const showMore = (anchor: Element) => this.setState({ more: anchor });
    return <main aria-label="Data">
      <header class="data-head">
        <PathBar data={data} ref={bar => (this.pathBar = bar as PathBar)} />
        {data.route.as ? null : <Button label="View as" icon="eye" shrinks onPress={() => data.open("as")} />}
        {data.route.as ? null : <Button label="Add" icon="plus" shrinks reason={reason} onPress={() => data.actions.start("add")} />}
        <Button label="More" icon="more" kind="quiet" onlyIcon popup="menu" onPress={event => showMore(event.currentTarget as Element)} />
      </header>
      <ViewAsBanner data={data} />
      <OfflineBanner data={data} />
      <OrderBar data={data} />
      <div class="split">
        <TreePane data={data} areLetterKeysOn={areLetterKeysOn} showMenu={showMore} />
        <Inspector data={data} onMore={showMore} />
      </div>
      {data.sheet ? <LazyComponent key={data.sheet} load={() => import("./sheets").then(module => module.Sheets)} componentProps={{ data }}
        onFail={() => data.sheetFailedToLoad()} onClose={() => data.open(null)} /> : null}
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
      { label: "Copy path", icon: "copy", keyCap: "c", run: () => data.actions.copy(pathText(path), "Path copied") },
      { label: "Copy JSON", icon: "copy", reason: held ? null : "The value is not loaded. Open it, or export it.",
        run: () => data.actions.copy(jsonText(toExport(held)), "JSON copied") },
      { label: "Export", icon: "download", run: () => data.actions.exportPart(path) },
      { label: "Add below", icon: "plus", keyCap: "a", reason, startsGroup: true, run: () => data.actions.start("add") },
      { label: "Paste JSON", icon: "data", reason, run: () => data.actions.start("paste") },
      { label: "Priority", icon: "filter", reason: reason ?? root, run: () => data.open("priority") },
      { label: "Rename", icon: "edit", keyCap: "F2", reason: reason ?? root, run: () => data.actions.start("rename") },
      { label: "Move", icon: "move", reason: reason ?? root, run: () => data.actions.start("move") },
      { label: "Duplicate", icon: "copy", keyCap: "d", reason: reason ?? root, run: () => data.actions.start("duplicate") },
      { label: "Remove", icon: "trash", keyCap: "Del", reason, isDanger: true, startsGroup: true, run: () => data.actions.start("remove") },
    ];
  }
}

/** The banner that the data is viewed as another identity. */
function ViewAsBanner(props?: { data: DataController }) {
  const { data } = props!;
  const { as } = data.route;
  if (!as) return <span hidden />;
  const what = "isSignedOut" in as ? "not signed in." : `signed in, ${as.claims ? "with claims" : "no claims"}.`;
  return <div class="banner violet"><Icon name="eye" />
    <span class="grow"><b>As <bdi>{identityName(as)}</bdi></b>{" "}
      <span class="word">{what} Rules decide what is shown; writing is off.</span></span>
    <Button label="Another user" onPress={() => data.open("as")} /><Button label="Stop" onPress={() => data.viewAs(null)} /></div>;
}

function OfflineBanner(props?: { data: DataController }) {
  const { data } = props!;
  const link = data.activeConnection;
  if (link?.state.name === "stopped") {
    return <div class="banner ember" role="status"><Icon name="warning" />
      <span class="grow">The server closed the connection: {link.state.reason}</span></div>;
  }
  if (link?.state.name !== "offline") return <span hidden />;
  const seconds = Math.max(0, Math.ceil((link.state.nextTry - Date.now()) / 1000));
  const since = `No connection since ${timeOfDay(link.state.since)}. The data is of that time.`;
  return <div class="banner ember" role="status"><Icon name="warning" />
    <span class="grow">{since} Trying again {seconds ? `in ${seconds} s` : "now"}.</span>
    <Button label="Try now" onPress={() => link.tryNow()} /></div>;
}
