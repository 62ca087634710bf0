import { Component, h } from "preact";
import { formatCount } from "../format/number";
import { Path } from "../tree/keys";
import { kindOfLine, Line } from "./line";
import { DataController } from "./controller";
import { RowEditor } from "./rowEditor";
import { handleKey } from "./treeKeys";
import { TreeState } from "./treeState";
import { TreeView } from "./treeView";

/** The time until the inspector has its height, in milliseconds. */
const INSPECTOR_OPEN_MILLISECONDS = 120;

interface State {
  newAbove: number;
}

/** The tree with the bars above it. Its rows are drawn outside of the view library. */
export class TreePane extends Component<{ data: DataController; areLetterKeysOn: () => boolean; showMenu: (anchor: Element) => void }, State> {
  override state: State = { newAbove: 0 };
  view: TreeView | null = null;
  private rowEditor: RowEditor | null = null;
  private container: HTMLElement | null = null;

  override componentDidMount(): void {
    const { data } = this.props;
    const view = (this.view = new TreeView({
      model: () => data.model,
      lines: () => data.lines,
      selected: () => (data.route.path.length ? data.route.path : null),
      activated: (line, how) => this.activated(line, how),
      rowsAddedAbove: count => this.setState({ newAbove: count }),
    }));
    this.rowEditor = new RowEditor(data, view);
    this.container!.append(view.element);
    view.element.addEventListener("keydown", event => handleKey(event, this));
    data.restart = () => view.restart();
    data.focus = () => view.element.focus();
    data.draw = (isStructural, isLive) => {
      if (data.model) view.invalidate(isStructural, isLive);
      this.rowEditor!.move();
    };
    data.reveal = path => this.reveal(path);
    data.draw(true);
    if (document.activeElement === document.body) data.focus();
  }

  override componentWillUnmount(): void {
    this.view?.stop();
    this.rowEditor?.stop();
    this.props.data.draw = () => {};
    this.props.data.restart = () => {};
    this.props.data.focus = () => {};
    this.props.data.reveal = () => {};
  }

  get data(): DataController {
    return this.props.data;
  }

  get areLetterKeysOn(): boolean {
    return this.props.areLetterKeysOn();
  }

  showMenu(): void {
    const row = this.view!.rowOf(this.data.route.path);
    if (row) this.props.showMenu(row.element);
  }

  private reveal(path: Path): void {
    const at = this.data.lines.indexOf(path);
    const view = this.view!;
    view.setCursor(null);
    if (at < 0) return;
    const top = view.element.scrollTop;
    const isSeen = at * view.rowHeight >= top && (at + 1) * view.rowHeight <= top + view.element.clientHeight;
    if (!isSeen) view.scrollTo(at, true);
  }

  activated(line: Line, how: "select" | "toggle" | "edit" | "load" | "go"): void {
    const { data } = this.props;
    if (line.type === "note") {
      if (how === "load") void line.branch.load();
      return;
    }
    if (line.type === "gap") {
      if (how === "go") data.open("goto", line.branch);
      else if (how !== "select") void line.branch.fill(line.gap, line.gap.above ? "above" : "below");
      return;
    }
    if (how === "toggle") return this.toggle(line);
    data.isInspectorOpen = true;
    data.select(line.path);
    if (how === "edit") this.edit(line);
    setTimeout(() => this.scrollClearOfInspector(line.path), INSPECTOR_OPEN_MILLISECONDS);
  }

  /** Scrolls the selected row out from under the inspector, when that overlaps the tree. */
  private scrollClearOfInspector(path: Path): void {
    const sheet = this.base.parentElement?.querySelector<HTMLElement>(".inspector");
    const row = this.view?.rowOf(path)?.element.getBoundingClientRect();
    const cover = sheet?.getBoundingClientRect();
    if (!row || !cover || !matchMedia("(max-width: 820px)").matches || row.bottom <= cover.top) return;
    this.view!.element.scrollTop += row.bottom - cover.top + 8;
  }

  toggle(line: Line): void {
    if (line.type !== "node" || !this.data.model || kindOfLine(line) !== "object") return;
    if (line.open) this.data.model.collapse(line);
    else void this.data.model.expand(line).then(branch => this.data.showNewest(branch));
  }

  /** Edits a value that fits on one line in the row, and others in the inspector. */
  edit(line: Line): void {
    const { data } = this.props;
    if (line.type !== "node" || !line.node || line.node.children) return;
    if (data.readOnlyReason) return data.notices.show(data.readOnlyReason);
    const value = line.node.value!;
    const isOneLine = typeof value === "number" || (typeof value === "string" && value.length <= 200 && !/[\u0000-\u001f]/.test(value));
    data.isInspectorOpen = true;
    data.editor.begin(line.path, line.node, isOneLine ? "row" : "inspector");
    data.publish();
  }

  render() {
    const { data } = this.props;
    const { newAbove } = this.state;
    const isAway = data.activeConnection?.state.name === "offline" || data.activeConnection?.state.name === "stopped";
    return <div class={`tree-pane${data.route.as ? " as-somebody" : ""}${isAway ? " away" : ""}`}>
      <div ref={element => (this.container = element as HTMLElement)} />
      {newAbove > 0 ? <button type="button" class="pill" onClick={() => this.view!.scrollToTop()}>
        {formatCount(newAbove)} new above</button> : null}
      <TreeState data={data} />
    </div>;
  }
}

