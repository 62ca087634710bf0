import { h } from "preact";
import { formatBytes, formatCount } from "../format/number";
import { plural, displayText } from "../format/text";
import { fullTime, shortTime } from "../format/time";
import { kindName, valueText } from "../format/value";
import { jsonText } from "../tree/input";
import { Path, pathText } from "../tree/keys";
import { Kind, kindOf, Node, toExport } from "../tree/node";
import { timeOfPushId } from "../tree/pushId";
import { Store, View } from "../state/store";
import { Button } from "../widgets/button";
import { LazyComponent } from "../widgets/lazyComponent";
import { ChangeHistory, mergeChanges, PastChange } from "./changeHistory";
import { DataController } from "./controller";
import { identityName } from "./connection";
import { Selection } from "./selection";
import { ValueEditor } from "./valueEditor";

const CHANGES_SHOWN = 50;
/** The number of UTF-16 units after which the inspector cuts a value; it is copied whole. */
const VALUE_UNITS_SHOWN = 20_000;

/** The details of the selected node. */
export class Inspector extends View<{ data: DataController; onMore: (anchor: Element) => void }> {
  private readonly selection = new Selection();
  private readonly history = new ChangeHistory();

  protected stores(): Store[] {
    return [this.props.data, this.props.data.editor, this.selection, this.history];
  }

  override componentWillUnmount(): void {
    super.componentWillUnmount();
    this.selection.stopListening();
    this.history.stop();
  }

  render() {
    const { data, onMore } = this.props;
    const { path } = data.route;
    this.selection.update(data);
    const observed = data.model?.log.below(path, CHANGES_SHOWN) ?? [];
    this.history.update(data, observed[0]?.at ?? 0);
    const node = this.selection.node;
    const kind: Kind = node ? kindOf(node) : this.selection.page?.kind ?? "null";
    return <aside class="inspector" aria-label="Inspector" data-open={String(data.isInspectorOpen)} tabIndex={0}>
      <button type="button" class="sheet-grip" aria-label="Close the inspector" onClick={() => this.close()} />
      <section>
        <div class="line"><h2><bdi>{path.length ? displayText(path[path.length - 1]!, 256) : "/"}</bdi></h2>
          {this.selection.isKnown ? <span class="chip">{kindName(kind)}</span> : null}<span class="grow" />
          <Button label="Copy path" icon="copy" kind="quiet" onlyIcon onPress={() => data.actions.copy(pathText(path), "Path copied")} />
          <Button label="More" icon="more" kind="quiet" onlyIcon popup="menu" onPress={event => onMore(event.currentTarget as Element)} />
        </div>
        {path.length > 1 ? <div class="full-path"><bdi>{displayText(pathText(path), 1024)}</bdi></div> : null}
        {this.selection.refusal ? <Refused data={data} reason={this.selection.refusal} /> : this.value(kind, node)}
      </section>
      {this.facts(kind, node)}
      <LazyComponent load={() => import("./accessSection").then(module => (given: any) => <module.AccessSection {...given} />)} onFail={() => {}} isLine
        componentProps={{ data, path: pathText(path), as: data.route.as, refusal: this.selection.refusal }} />
      <Changes data={data} path={path} changes={mergeChanges(observed, this.history.changes, CHANGES_SHOWN)} />
    </aside>;
  }

  private close(): void {
    this.props.data.isInspectorOpen = false;
    this.props.data.publish();
  }

  private value(kind: Kind, node: Node | null) {
    const { data } = this.props;
    const { path } = data.route;
    if (data.editor.isAt(path)) return <ValueEditor data={data} />;
    if (kind === "object" || !this.selection.isKnown) return <span hidden />;
    if (kind === "null") return <p class="note-text">No value here.</p>;
    if (!node) return <div class="line"><span class="note-text grow">{formatBytes(this.selection.page!.bytes)}, not loaded</span>
      <Button label="Load" onPress={() => this.selection.load()} /></div>;
    return <div style={{ display: "grid", gap: "8px" }}>
      <div class={`whole-value ${kind}`} tabIndex={0} role="region" aria-label="Value">
        <bdi>{displayText(String(node.value), VALUE_UNITS_SHOWN)}</bdi></div>
      <div class="line"><Button label="Edit" icon="edit" reason={data.readOnlyReason}
        onPress={() => data.editor.begin(path, node, "inspector")} />
        <Button label="Copy value" kind="quiet" onPress={() => data.actions.copy(String(node.value), "Value copied")} /></div>
    </div>;
  }

  /** Returns the actions that take a part out of the page. */
  private exportActions(node: Node | null) {
    const { data } = this.props;
    const { path } = data.route;
    const copy = () => data.actions.copy(jsonText(toExport(node)), "JSON copied");
    return <div class="line">
      {node ? <Button key="copy" label="Copy JSON" icon="copy" onPress={copy} /> : null}
      <Button key="export" label="Export" icon="download" kind={node ? "quiet" : ""} onPress={() => data.actions.exportPart(path)} />
    </div>;
  }

  private facts(kind: Kind, node: Node | null) {
    const { data } = this.props;
    const { path } = data.route;
    const page = this.selection.page;
    const time = path.length ? timeOfPushId(path[path.length - 1]!) : null;
    const value = node?.value;
    const looksLikeTime = typeof value === "number" && value > 1e12 && value < 4e12;
    const rows: [string, JSX.Element][] = [];
    const count = node?.children?.size ?? page?.count ?? 0;
    const isAbout = page !== null && !page.isExact && !node;
    if (kind === "object") rows.push(["Children", <span>{formatCount(count)}{isAbout ? ", about" : ""}</span>]);
    if (page) rows.push(["Size", <span>{formatBytes(page.bytes)}</span>]);
    if (typeof value === "string") rows.push(["Length", <span>{characters(value)}</span>]);
    if (node && node.priority !== null) rows.push(["Priority", <PriorityText priority={node.priority} />]);
    else if (page?.hasPriority && !node) rows.push(["Priority", <span>has one</span>]);
    if (time !== null) rows.push(["Made", <TimeText at={time} />]);
    if (looksLikeTime) rows.push(["As time", <TimeText at={value as number} />]);
    if (!rows.length) return <span hidden />;
    return <section>
      <dl class="facts">{rows.map(([name, what]) => [<dt>{name}</dt>, <dd>{what}</dd>])}</dl>
      {kind === "object" && !this.selection.refusal ? this.exportActions(node) : null}
    </section>;
  }
}

function characters(text: string): string {
  const count = [...text].length;
  return `${formatCount(count)} ${plural(count, "character")}`;
}

function TimeText(props?: { at: number }) {
  return <span title={fullTime(props!.at)}>{shortTime(props!.at, Date.now())}</span>;
}

function PriorityText(props?: { priority: string | number }) {
  const { priority } = props!;
  return <span class={`mono ${typeof priority}`}>{valueText(typeof priority === "string" ? displayText(priority, 80) : priority)}</span>;
}

function Refused(props?: { data: DataController; reason: string }) {
  const { data, reason } = props!;
  const who = data.route.as ? identityName(data.route.as) : "This session";
  return <div class="callout red"><span>{`${who} may not read this. ${reason}`}</span></div>;
}

const SIGNS = { added: "+", changed: "~", removed: "−" };

function Changes(props?: { data: DataController; path: Path; changes: PastChange[] }) {
  const { data, path, changes } = props!;
  return <section class="changes"><h3>Changes {path.length ? "here and below" : "seen"}</h3>
    {changes.length ? changes.map(change => <ChangeRow data={data} change={change} base={path} />) :
      <p class="note-text" style={{ padding: "0 16px" }}>No changes since this page was opened.</p>}</section>;
}

function ChangeRow(props?: { data: DataController; change: PastChange; base: Path }) {
  const { data, change, base } = props!;
  const below = change.path.slice(base.length);
  const name = below.length ? below.join("/") : change.path[change.path.length - 1] ?? "/";
  return <button type="button" class="change" title={pathText(change.path)} onClick={() => data.go({ path: change.path })}>
    <time title={fullTime(change.at)}>{shortTime(change.at, Date.now())}</time><span class={`sign ${change.kind}`} aria-label={change.kind}>{SIGNS[change.kind]}</span>
    <span class="change-what"><bdi class={`mono cut ${change.kind === "removed" ? "gone" : ""}`}>{displayText(name, 120)}</bdi>
      <bdi class="mono cut change-value">{change.text}</bdi>
      {change.by === null ? null : <span class="note-text cut">by <bdi>{displayText(change.by, 60)}</bdi></span>}</span>
  </button>;
}
