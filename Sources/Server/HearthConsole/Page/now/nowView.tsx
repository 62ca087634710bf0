import { h } from "preact";
import { formatBytes, formatCount, shortNumber } from "../format/number";
import { plural, displayText } from "../format/text";
import { duration, fullTime } from "../format/time";
import { App } from "../shell/app";
import { ViewAddress } from "../state/route";
import { Store, View } from "../state/store";
import { decidingVisit } from "../why/explanation";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icon";
import { SegmentedControl } from "../widgets/segmentedControl";
import { Column, Table } from "../widgets/table";
import { agentName } from "./agent";
import { Chart, Sparkline } from "./chart";
import { Connection, DatabaseState, NowController, StandingListen } from "./controller";
import { capitalized } from "./checks";
import { BackupsSection, BackUpSheet, ChecksSection } from "./checksSection";
import { DeadLettersSheet } from "./deadLettersSheet";
import { LogPane } from "./logPane";
import { isTriggerHealthy, triggerStatusText } from "./triggers";

interface State {
  seconds: number;
  pointerTime: number | null;
  /** The trigger whose dead letters are shown. */
  deadLettersOf: string | null;
  isBackingUp: boolean;
}

const SPARK_SECONDS = 300;
const FINDINGS_SHOWN = 8;
const KINDS = { socket: "socket", poll: "long polls", stream: "event stream" };

/** The view of the server's health, the connections, and the reasons why their listens are allowed. */
export class NowView extends View<{ app: App; address: ViewAddress; database: string }, State> {
  override state: State = { seconds: 300, pointerTime: null, deadLettersOf: null, isBackingUp: false };
  private readonly now = new NowController(this.props.app, this.props.database);

  protected stores(): Store[] {
    return [this.now, this.props.app.denials];
  }

  override componentDidMount(): void {
    super.componentDidMount();
    this.now.filterByUser(this.props.app.address.parameters.get("uid"));
    this.now.start();
    const chosen = this.props.app.address.parts[1];
    if (chosen) void this.now.openConnection(chosen);
  }

  override componentDidUpdate(): void {
    this.now.filterByUser(this.props.app.address.parameters.get("uid"));
  }

  override componentWillUnmount(): void {
    super.componentWillUnmount();
    this.now.stop();
  }

  private choose(connection: Connection): void {
    const { app } = this.props;
    const isOpen = app.address.parts[1] === connection.id;
    app.go("now", isOpen ? [] : ["connections", connection.id], app.address.parameters);
    void this.now.openConnection(isOpen ? null : connection.id);
  }

  render() {
    const { app } = this.props;
    const { now } = this;
    const { seconds, pointerTime } = this.state;
    const { series, findingTitles } = now;
    const drawn = seconds > 3600 && now.day.hasLine ? now.day : series;
    const onPoint = (at: number | null) => this.setState({ pointerTime: at });
    return <main aria-label="Now" class="now-view">
      <header class="view-head"><h1>Now</h1>
        <span class="line"><span class={`dot ${now.problem ?? now.stateProblem ? "stopped" : !now.isLoaded ? "waiting" : findingTitles.length ? "away" : ""}`} /><span
          role="status">{now.problem ?? now.stateProblem ?? (!now.isLoaded ? "Loading…" : findingTitles.length
          ? `${formatCount(findingTitles.length)} ${plural(findingTitles.length, "thing")} to look at: ${findingTitles.slice(0, 3).join(", ")}` : "All is well")}</span></span>
        <span class="grow" />
        <SegmentedControl name="Time" value={seconds} onChoose={(next: number) => {
          this.setState({ seconds: next });
          now.showDay(next > 3600);
        }} options={[{ value: 300, label: "5 min" }, { value: 3600, label: "1 h" }, { value: 86_400, label: "24 h" }]} />
        <Button label={now.isPaused ? "Resume" : "Pause"} icon={now.isPaused ? "play" : "pause"} kind="quiet" onlyIcon onPress={() => now.pause(!now.isPaused)} />
      </header>
      <div class="now-body">
        <dl class="now-figures">{this.figure("Writes", shortNumber(series.last("writes") ?? 0), "/s", "writes", "blue", () => app.go("data"))}
          {this.figure("Refused", shortNumber(series.sum("refused", series.newest - 60_000)), "/min", "refused", "red", () => app.go("rules"))}
          {this.figure("Connections", formatCount(series.last("connections") ?? 0), "", "connections", "grey", null)}
          {this.figure("Listens", formatCount(series.last("listens") ?? 0), "", "listens", "grey", null)}
          {this.figure("Durable, p99", latencyText(series.last("durable99")), "ms", "durable99", "grey", null)}
          {this.figure("Processor", shortNumber((series.last("processor") ?? 0) * 100), "%", "processor", "grey", null)}</dl>
        <div class="charts">
          <Chart name="Writes a second" unit="/s" series={drawn} seconds={seconds} pointerTime={pointerTime} onPoint={onPoint}
            lines={[{ figure: "writes", label: "committed", tone: "blue", isFilled: true }]} ticks={{ figure: "refused", label: "refused" }} />
          <Chart name="From write to listener" unit="ms" series={drawn} seconds={seconds} pointerTime={pointerTime} onPoint={onPoint}
            lines={[{ figure: "wholeWay50", label: "p50", tone: "grey" }, { figure: "wholeWay99", label: "p99", tone: "blue", isFilled: true }]} />
        </div>
        <div class="now-split"><div class="now-left">{this.connections()}<LogPane now={now} /></div>{this.side()}</div>
      </div>
      {this.state.isBackingUp ? <BackUpSheet now={now} onClose={() => this.setState({ isBackingUp: false })} /> : null}
      {this.state.deadLettersOf !== null ? <DeadLettersSheet app={app} trigger={this.state.deadLettersOf} onClose={() => this.setState({ deadLettersOf: null })} /> : null}
    </main>;
  }

  private figure(name: string, value: string, unit: string, figure: string, tone: string, go: (() => void) | null) {
    const shownValue = <span><b>{value}</b> <span class="note-text">{unit}</span></span>;
    return <div key={name}><dt>{name}</dt><dd>{go ? <button type="button" class="figure-link" onClick={go} aria-label={`${name}: ${value} ${unit}`}>{shownValue}</button> : shownValue}
      <Sparkline series={this.now.series} figure={figure} tone={tone} seconds={SPARK_SECONDS} /></dd></div>;
  }

  private connections() {
    const { app } = this.props;
    const { now } = this;
    const uid = app.address.parameters.get("uid");
    const columns: Column<Connection>[] = [
      { name: "Id", width: "110px", cell: each => <code class="mono">{each.id}</code> },
      { name: "User", width: "minmax(0, 1.4fr)", cell: each => each.uid !== null ? <bdi>{displayText(each.uid, 60)}</bdi>
        : <span class="quiet-text">{each.readsAll ? "administrator" : "signed out"}</span> },
      { name: "Client", width: "minmax(0, 1fr)", isRoomy: true, cell: each => <span class="cut" title={displayText(each.agent ?? "", 256)}>
        {KINDS[each.kind]}{each.agent ? <span class="quiet-text"> <bdi>{displayText(agentName(each.agent), 80)}</bdi></span> : null}</span> },
      { name: "Address", width: "minmax(0, 1fr)", isRoomy: true, cell: each => <bdi class="mono cut">{displayText(each.address, 60)}</bdi> },
      { name: "For", width: "88px", cell: each => <time title={fullTime(each.since)}>{duration((Date.now() - each.since) / 1000)}</time> },
      { name: "Sent", width: "88px", isRight: true, isRoomy: true, cell: each => each.sentBytes === null ? "–" : formatBytes(each.sentBytes) },
      { name: "Waits", width: "72px", isRight: true, isRoomy: true, cell: each => each.waitingBytes ? <span class="chip ember">{formatBytes(each.waitingBytes)}</span>
        : each.waitingBytes === null ? "–" : "nothing" },
      { name: "Reading", width: "72px", isRight: true, cell: each => each.isPaused ? "paused" : "yes" },
    ];
    return <section class="connections" aria-label="Connections">
      <div class="pane-head"><h2>Connections</h2><span class="note-text">{formatCount(now.connectionCount)} of {now.database}
        {now.connectionCount > now.connections.length ? `, the newest ${formatCount(now.connections.length)} are shown` : ""}</span>
        {uid !== null ? <span class="chip blue">of <bdi>{displayText(uid, 40)}</bdi><button type="button" aria-label="Of all" onClick={() => app.go("now")}><Icon name="cross" /></button></span> : null}</div>
      <Table name="Connections" columns={columns} rows={now.connections} keyOf={(each: Connection) => each.id} chosen={app.address.parts[1] ?? null}
        onChoose={(each: Connection) => this.choose(each)} empty={<div class="empty"><h2>No connections</h2><p>Clients of this database appear here when they connect.</p></div>} />
      {this.listens()}
    </section>;
  }

  private listens() {
    const { app } = this.props;
    const { listens } = this.now;
    if (!listens || listens.connection !== app.address.parts[1]) return null;
    if ("problem" in listens) return <div class="callout red">{listens.problem}</div>;
    const { connection } = listens;
    return <div class="holding"><div class="line"><h3 class="grow">Why they hold</h3>
      <Button label="Disconnect" kind="quiet danger" reason={app.session.readOnlyReason}
        onPress={() => void this.now.disconnect(connection)} />
      <Button label="Close" icon="cross" kind="quiet" onlyIcon onPress={() => {
        app.go("now");
        void this.now.openConnection(null);
      }} /></div>
      {listens.listens.length ? <ul>{listens.listens.map(listen => <li><bdi class="mono cut" title={listen.path}>{displayText(listen.path, 120)}</bdi>
        {this.reason(listen)}</li>)}</ul> : <p class="note-text">It listens to nothing.</p>}
      {listens.count > listens.listens.length ? <p class="note-text">{formatCount(listens.count - listens.listens.length)} more</p> : null}</div>;
  }

  private reason(listen: StandingListen) {
    const { app } = this.props;
    if (listen.readsAll) return <span class="note-text">Rules are not asked: it may read all.</span>;
    const explanation = listen.explanation;
    if (!explanation) return <span class="note-text">The evaluation takes too long.</span>;
    if (!explanation.allowed || !explanation.rule) return <span class="note-text">No rule allows it any more: it is being cancelled.</span>;
    const { line } = explanation.rule;
    const visit = decidingVisit(explanation);
    const condition = visit?.expression?.text ?? "";
    const reads = (visit?.reads ?? []).map(read => read.path);
    return <span class="line"><button type="button" class="link" onClick={() => app.go("rules", [], new URLSearchParams({ line: String(line) }))}>
      .read line {line}</button><span class="note-text cut">{reads.length ? <span>ends when <bdi class="mono">{displayText([...new Set(reads)].slice(0, 3).join(", "), 160)}</bdi> changes accordingly</span>
        : /\bauth\b/.test(condition) ? "depends on the sign-in alone" : condition === "true" ? "open to all clients" : "reads no data"}</span></span>;
  }

  private side() {
    const { now } = this;
    const { series } = now;
    const latency = (name: string) => latencyText(series.last(name)) + (series.last(name) === null ? "" : " ms");
    const { state, databaseState, findings } = now;
    return <aside class="now-side" aria-label="State" tabIndex={0}>
      {findings.length ? <section aria-label="To look at"><h2>To look at</h2><ul class="findings">{findings.slice(0, FINDINGS_SHOWN).map(finding =>
        <li key={finding.code + (finding.subject ?? "")}><span class={`chip ${finding.level === "error" ? "red" : "ember"}`}><Icon name="warning" /> {finding.level}</span>
          <span><bdi>{displayText(capitalized(finding.title), 160)}</bdi>. <span class="note-text">{displayText(finding.text, 160)}</span></span></li>)}</ul>
        {findings.length > FINDINGS_SHOWN ? <p class="note-text">{formatCount(findings.length - FINDINGS_SHOWN)} more</p> : null}</section> : null}
      <ChecksSection now={now} />
      <section><h2>Queues</h2><dl>{row("Waiting commands", formatCount(series.last("waiting") ?? 0))}
        {row("From write to listener, p50", latency("wholeWay50"))}{row("Durable, p99", latency("durable99"))}</dl></section>
      {state ? <section><h2>Storage</h2><dl>{databaseState ? storageRows(databaseState) : null}
        {databaseState ? row("Position", formatCount(databaseState.position)) : null}
        {state.storage.diskAvailable !== null ? row("Free on the disk", formatBytes(state.storage.diskAvailable)) : null}
        {row("Last backup", state.storage.lastBackup === null ? "none" : <time title={fullTime(state.storage.lastBackup)}>
          {duration((Date.now() - state.storage.lastBackup) / 1000)} ago</time>)}</dl></section> : null}
      <BackupsSection app={this.props.app} now={now} onStart={() => this.setState({ isBackingUp: true })} />
      <section><h2>Plugins and triggers</h2>{now.plugins.length + now.triggers.length ? <dl>{now.plugins.map(plugin => row(plugin.name, <span
        class={`chip ${plugin.state === "running" ? "green" : "ember"}`}><Icon name={plugin.state === "running" ? "check" : "warning"} />
        <bdi>{displayText(plugin.state, 40)}</bdi></span>))}{now.triggers.map(trigger => row(trigger.name, trigger.status?.dead
          ? <button type="button" class="link" aria-haspopup="dialog" onClick={() => this.setState({ deadLettersOf: trigger.name })}>{triggerStatusText(trigger)}</button>
          : <span class={`chip ${isTriggerHealthy(trigger) ? "green" : "ember"}`}><Icon name={isTriggerHealthy(trigger) ? "check" : "warning"} /> {triggerStatusText(trigger)}</span>))}</dl>
        : <p class="note-text">No plugins and triggers.</p>}</section>
      <section><h2>Process</h2><dl>{row("Memory", formatBytes(series.last("memory") ?? 0))}
        {row("Processor", shortNumber((series.last("processor") ?? 0) * 100) + " %")}
        {state && state.process.openFiles !== null ? row("Open files", formatCount(state.process.openFiles)
          + (state.process.openFilesMax === null ? "" : ` of ${formatCount(state.process.openFilesMax)}`)) : null}
        {state ? row("Uptime", <time title={fullTime(state.process.startedAt)}>{duration(state.process.uptimeSeconds)}</time>) : null}
        {state ? row("Version", state.process.version) : null}
        {state && state.node !== null ? row("Node", state.node) : null}
        {row("Listeners cancelled, last hour", formatCount(Math.round(series.sum("cancelled", 0))))}</dl></section>
    </aside>;
  }
}

/** The size of a database on the disk and in memory. */
function storageRows({ pages, journalBytes, snapshotBytes }: DatabaseState) {
  if (!pages) {
    return [row("Since the snapshot", formatBytes(journalBytes)), row("Snapshot", snapshotBytes ? formatBytes(snapshotBytes) : "none yet")];
  }
  const reads = formatCount(pages.reads);
  return [row("Pages in memory", formatBytes(pages.memoryBytes)), row("Not stored yet", formatBytes(pages.dirtyBytes)),
    row("Pages on the disk", formatBytes(pages.fileBytes)), row("Since the checkpoint", formatBytes(journalBytes)),
    row("Pages read", pages.failedReads ? `${reads}, ${formatCount(pages.failedReads)} with an error` : reads),
    row("Last checkpoint", pages.checkpointBytes ? `${formatBytes(pages.checkpointBytes)} in ${formatCount(pages.checkpointMilliseconds)} ms` : "none yet")];
}

function latencyText(value: number | null): string {
  return value === null ? "–" : shortNumber(value);
}

function row(name: string, value: JSX.Element | string) {
  return <div key={name}><dt><bdi>{displayText(name, 60)}</bdi></dt><dd>{value}</dd></div>;
}
