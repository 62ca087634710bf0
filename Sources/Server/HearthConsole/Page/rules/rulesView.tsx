import { h } from "preact";
import { Denial } from "../state/denials";
import { groupDenials, repetitionText } from "../state/groupedDenials";
import { formatCount } from "../format/number";
import { plural, displayText } from "../format/text";
import { timeOfDay, duration, fullTime } from "../format/time";
import { App } from "../shell/app";
import { ViewAddress } from "../state/route";
import { Store, View } from "../state/store";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icon";
import { Reconnecting } from "../widgets/reconnecting";
import { SegmentedControl } from "../widgets/segmentedControl";
import { ExplanationPanel } from "../why/explanationPanel";
import { RulesController } from "./controller";
import { DeploySheet } from "./deploySheet";
import { EditorPane } from "./editorPane";
import { HistoryTab } from "./historyTab";
import { MergeSheet } from "./mergeSheet";
import { NoDenials, DenialList } from "./denialList";
import { StagedTab } from "./stagedTab";
import { TryTab } from "./tryTab";

interface Props {
  app: App;
  address: ViewAddress;
  database: string;
}

const TABS: { name: string; label: string }[] = [{ name: "", label: "Editor" }, { name: "try", label: "Try it" },
  { name: "history", label: "History" }, { name: "staged", label: "Staged" }];

/** The view of the rules, the denials, and their explanations. */
export class RulesView extends View<Props, { filter: string; isPaused: boolean }> {
  override state = { filter: "", isPaused: false };
  private readonly rules = new RulesController(this.props.app, this.props.database);
  private filterField: HTMLInputElement | null = null;

  protected stores(): Store[] {
    return [this.rules, this.props.app.denials, this.props.app.session];
  }

  override componentDidMount(): void {
    super.componentDidMount();
    this.props.app.focusSearch = () => this.filterField?.focus();
    void this.rules.start();
    this.followAddress();
  }

  override componentDidUpdate(): void {
    this.followAddress();
  }

  override componentWillUnmount(): void {
    super.componentWillUnmount();
    this.rules.stop();
  }

  /** Selects the denial that the address names. */
  private followAddress(): void {
    const { app, address } = this.props;
    if (address.parts[0] !== "denial") return;
    const id = address.parts[1];
    if (this.rules.denial?.id === id) return;
    const denial = app.denials.list.find(each => each.id === id);
    if (denial) void this.rules.choose(denial);
    else if (id) void this.rules.chooseById(id);
  }

  private get tab(): string {
    const first = this.props.address.parts[0] ?? "";
    return TABS.some(tab => tab.name === first) ? first : "";
  }

  private choose(denial: Denial): void {
    this.props.app.go("rules", ["denial", denial.id]);
    void this.rules.choose(denial);
  }

  private showLine(line: number): void {
    this.props.app.go("rules", [], new URLSearchParams({ line: String(line) }));
  }

  private openDeploy(): void {
    if (this.rules.readOnlyReason || !this.rules.isChanged) return;
    this.rules.open("deploy");
  }

  render() {
    const { app } = this.props;
    const { rules, tab } = this;
    return <main aria-label="Rules" class="rules-view">
      <header class="view-head">
        <h1>Rules</h1>
        <nav class="view-tabs" aria-label="Rules">{TABS.map(({ name, label }) => <a key={name} href={`#/rules${name && "/" + name}`}
          aria-current={tab === name ? "page" : undefined} onClick={event => {
            event.preventDefault();
            app.go("rules", name ? [name] : []);
          }}>{label}</a>)}</nav>
        <span class="grow" />
        {this.status()}
      </header>
      {rules.newerVersion ? <div key="newer" class="banner ember" role="status"><Icon name="warning" /><span class="grow">Version {rules.newerVersion.id} came into
        force while you edited. Your text is kept. The deploy shows its differences from that version.</span>
        <Button label="Merge" onPress={() => rules.open("merge")} /><Button label="Discard my text" onPress={() => rules.revert()} /></div> : null}
      {rules.state === "failed" && rules.isReconnecting ? <Reconnecting key="reconnecting" retry={() => rules.load()} /> : null}
      {rules.state === "failed" && !rules.isReconnecting ? <div key="failed" class="view-body empty"><h2>The rules could not be loaded</h2><p>{rules.problem}</p>
        <Button label="Try again" onPress={() => void rules.load()} /></div> : null}
      {rules.state === "loading" ? <div key="loading" class="view-body bones" aria-busy="true">{[40, 72, 56, 64, 30].map(width =>
        <div class="bone" style={{ width: width + "%" }} />)}</div> : null}
      {rules.state === "ready" ? this.body() : null}
      {rules.sheet === "deploy" ? <DeploySheet rules={rules} /> : null}
      {rules.sheet === "merge" ? <MergeSheet rules={rules} /> : null}
    </main>;
  }

  private status() {
    const { rules } = this;
    if (rules.state !== "ready") return null;
    const current = rules.versions.find(each => each.id === rules.version);
    const since = current ? ` in force for ${duration((Date.now() - Date.parse(current.time)) / 1000)}` : " in force";
    const changed = rules.changedLines.length;
    const errors = rules.errors.length;
    const hints = rules.problems.length - errors;
    return <div class="line view-status">
      <span class="note-text roomy">{rules.version ? `version ${rules.version}${since}` : "never deployed"}</span>
      {rules.isChanged ? <span class="chip ember">{changed ? `${formatCount(changed)} ${plural(changed, "line")} changed` : "lines removed"}</span> : null}
      {!rules.isChecked ? <span class="chip">checking…</span> : errors ? <span class="chip red"><Icon name="cross" />{errors}{" "}
        {plural(errors, "error")}</span> : <span class="chip green"><Icon name="check" />{hints ? `no errors, ${hints} ${plural(hints, "hint")}`
        : "no errors"}</span>}
      {rules.isChanged ? <Button key="revert" label="Revert" kind="quiet" onPress={() => rules.revert()} /> : null}
      <Button key="deploy" label="Deploy" kind="primary" reason={rules.readOnlyReason ?? (rules.isChanged ? null : "The text is unchanged.")}
        onPress={() => this.openDeploy()} />
    </div>;
  }

  private body() {
    const { rules, tab } = this;
    const explained = rules.explained && !("problem" in rules.explained) ? rules.explained : null;
    if (tab === "try") return <TryTab key={rules.denial?.id ?? "none"} app={this.props.app} rules={rules} from={explained?.request ?? null}
      onLine={line => this.showLine(line)} />;
    if (tab === "history") return <HistoryTab rules={rules} />;
    if (tab === "staged") return <StagedTab rules={rules} />;
    const line = Number(this.props.address.parameters.get("line")) || null;
    // With a key, so that the editor's own elements are not reused for those of the part above it.
    return <div key="split" class="rules-split">
      <div class="rules-left">
        <div class="pane-head"><span class="note-text counts-head"><span>allowed</span><span>refused</span></span>
          <span class="note-text grow">{!rules.coverage ? "start the server with --rules-coverage to count results"
            : rules.coveredSince === null ? "since these rules came into force, or the server started" : `since ${timeOfDay(rules.coveredSince)}`}</span>
          {rules.coverage ? <SegmentedControl name="Counted in" value={rules.coverageWindow} onChoose={(next: "all" | "hour" | "day") => rules.showCoverage(next)}
            options={[{ value: "hour", label: "1 h" }, { value: "day", label: "24 h" }, { value: "all", label: "All" }]} /> : null}</div>
        <EditorPane rules={rules} line={line} onTry={() => void rules.tryEdit()} onDeploy={() => this.openDeploy()} />
        {this.problemList()}
      </div>
      <aside class="rules-right" aria-label="Refused">
        {this.feedHead()}
        <DenialList app={this.props.app} chosen={rules.denial} filter={this.state.filter} onChoose={denial => this.choose(denial)} />
        {this.why()}
      </aside>
    </div>;
  }

  private problemList() {
    const { problems } = this.rules;
    if (!problems.length) return null;
    return <ul class="problem-list" aria-label="What the check found">{problems.slice(0, 20).map(problem => <li>
      <button type="button" class={problem.severity} onClick={() => this.showLine(problem.line)}><Icon name={problem.severity === "error"
        ? "cross" : "warning"} /><span class="note-text">line {problem.line}</span><span class="grow"><bdi>{displayText(problem.message, 300)}</bdi>
        {problem.help ? <span class="note-text"> <bdi>{displayText(problem.help, 300)}</bdi></span> : null}</span></button></li>)}</ul>;
  }

  private feedHead() {
    const { denials } = this.props.app;
    const recent = denials.countSince(Date.now() - 300_000);
    return <div class="pane-head"><h2>Refused</h2><span class={`dot ${denials.isLive ? "" : "waiting"}`} />
      <span class="note-text">{denials.isLive ? "live" : "connecting"}, {formatCount(recent)} in 5 min{denials.missed ? `, ${formatCount(denials.missed)} more not kept` : ""}</span>
      <span class="grow" />
      <label class="field soft"><Icon name="filter" /><input aria-label="Filter by path, rule, person, operation" placeholder="Filter"
        ref={element => (this.filterField = element as HTMLInputElement)} value={this.state.filter}
        onInput={event => this.setState({ filter: (event.target as HTMLInputElement).value })} /></label></div>;
  }

  private why() {
    const { rules } = this;
    const { denial, explained } = rules;
    if (!denial) {
      return <div class="why-none">{this.props.app.denials.list.length ? <p class="note-text">Select a refused request to see which part of which rule failed.</p>
        : <NoDenials database={this.props.database} />}</div>;
    }
    if (!explained) return <div class="why-none bones" aria-busy="true"><div class="bone" style={{ width: "60%" }} /></div>;
    const who = denial.uid === null ? "a signed-out client" : displayText(denial.uid, 60);
    const group = groupDenials(this.props.app.denials.list).find(each => each.ids.includes(denial.id));
    const repetition = repetitionText(group ?? { ...denial, since: denial.at, ids: [denial.id] });
    const told = <span>by <b><bdi>{who}</bdi></b> at <span title={fullTime(denial.at)}>{timeOfDay(denial.at)}</span>
      {denial.connection ? <span>, connection <code class="mono">{denial.connection}</code></span> : null}
      {repetition ? `, ${repetition}` : ""}
      {denial.cause ? `, cut by ${denial.cause}` : ""}</span>;
    if ("problem" in explained) {
      return <section class="why" aria-label="Why"><div class="line"><span class="chip red"><Icon name="cross" />{denial.operation} refused</span>
        <bdi class="mono cut">{displayText(denial.path, 200)}</bdi></div><p class="why-who">{told}</p><p><bdi>{displayText(denial.sentence, 500)}</bdi></p>
        <p class="note-text">{explained.problem}</p></section>;
    }
    return <ExplanationPanel explanation={explained.explanation} request={explained.request} circumstances={told} onLine={line => this.showLine(line)}
      actions={<div>{explained.inForce ? null : <p class="note-text">The rules that refused this request are no longer in force.</p>}
        <div class="line"><Button label={rules.isTrying ? "Trying…" : "Try with my edit"} kind="primary" isDisabled={rules.isTrying}
          onPress={() => void rules.tryEdit()} />
        <Button label="Open in Try it" onPress={() => this.props.app.go("rules", ["try"])} />
        <Button label="Copy as test" kind="quiet" reason={explained.test === null ? "A test file cannot express this query." : null}
          onPress={() => this.props.app.data.actions.copy(explained.test ?? "", "Copied. Save it beside your rules file and run: hearth rules test FILE")} /></div>{this.verdict()}</div>} />;
  }

  /** Returns the decision of the text in the editor. */
  private verdict() {
    const { trialDecision } = this.rules;
    if (!trialDecision) return <div aria-live="polite" />;
    return <div aria-live="polite" class="tried">{trialDecision.error ? <span class="chip red"><Icon name="cross" />{displayText(trialDecision.error, 300)}</span>
      : trialDecision.allowed ? <span class="chip green"><Icon name="check" />allowed with your edit</span>
        : <div><span class="chip red"><Icon name="cross" />still refused with your edit</span>
          <p class="note-text"><bdi>{displayText(trialDecision.explanation?.summary ?? "", 300)}</bdi></p></div>}
      {trialDecision.error ? null : <p class="note-text">{trialDecision.dataOf === "denial" ? "Uses the data of that time."
        : "Uses the current data: your rules read paths that were not kept with this denial."}</p>}</div>;
  }
}
