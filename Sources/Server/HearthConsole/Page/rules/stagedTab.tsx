import { Component, h } from "preact";
import { formatCount } from "../format/number";
import { displayText } from "../format/text";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { RulesController } from "./controller";

interface State {
  status: any;
  problem: string | null;
  isBusy: boolean;
}

const REFRESH_MILLISECONDS = 2000;

/** The staged rules: the decisions that differ from those in force, and the listeners that they would cancel. */
export class StagedTab extends Component<{ rules: RulesController }, State> {
  override state: State = { status: null, problem: null, isBusy: false };
  private timer: ReturnType<typeof setInterval> | undefined;

  override componentDidMount(): void {
    void this.refresh();
    this.timer = setInterval(() => document.hidden || void this.refresh(), REFRESH_MILLISECONDS);
  }

  override componentWillUnmount(): void {
    clearInterval(this.timer);
  }

  private async refresh(): Promise<void> {
    try {
      this.setState({ status: await this.props.rules.staged() });
    } catch (error) {
      if (!this.state.status) this.setState({ status: { staged: null }, problem: errorText(error) });
    }
  }

  private async act(work: () => Promise<void>): Promise<void> {
    this.setState({ isBusy: true, problem: null });
    try {
      await work();
    } catch (error) {
      this.setState({ problem: errorText(error) });
    }
    this.setState({ isBusy: false });
    await this.refresh();
  }

  render() {
    const { rules } = this.props;
    const { status, problem, isBusy } = this.state;
    if (!status) return <div class="staged" aria-busy="true" />;
    const reason = rules.readOnlyReason;
    const { staged, trial } = status;
    return <div class="staged">
      {problem && staged ? <div class="callout red" role="alert">{problem}</div> : null}
      {staged ? <div>
        <div class="line"><h2 class="grow">Rules on trial</h2>
          <Button label="End the trial" reason={reason} isDisabled={isBusy} onPress={() => void this.act(() => rules.unstage())} />
          <Button label="Promote" kind="primary" reason={reason} isDisabled={isBusy}
            onPress={() => void this.act(() => rules.promote({ minJudged: 0 }))} /></div>
        <p class="note-text">Each request is also evaluated by these rules. Clients notice nothing.</p>
        {trial ? <StagedResults trial={trial} /> : null}</div> : <div class="empty">
        <h2>Nothing is on trial</h2>
        <p>Stage the text of the editor to evaluate it beside the rules in force. The results show what a deploy would change.</p>
        <Button label="Stage the editor's text" reason={reason ?? (rules.errors.length ? "The text has errors." : null)}
          isDisabled={isBusy} onPress={() => void this.act(() => rules.stage("staged in the console"))} />
        {problem && !/staged/i.test(problem) ? <div class="callout red" role="alert">{problem}</div> : null}
        <div class="shell-line">hearth rules stage rules.json</div></div>}
    </div>;
  }
}

function StagedResults(props?: { trial: any }) {
  const { trial } = props!;
  const listeners = trial.forecast?.listeners;
  const data = trial.forecast?.data;
  const figures: [string, number][] = [["decided by both", trial.judged], ["the same", trial.equal], ["now refused", trial.closed],
    ["now allowed", trial.opened], ["listens that would be cut", listeners?.cancelled ?? 0], ["stored data that would fail", data?.failed ?? 0]];
  return <div>
    <dl class="figures">{figures.map(([name, count]) => <div key={name}><dt>{name}</dt><dd>{formatCount(count)}</dd></div>)}</dl>
    {trial.flips.length ? <table class="plain"><thead><tr><th>Would be</th><th>Operation</th><th>Where</th><th>Rule</th><th class="right">Times</th></tr></thead>
      <tbody>{trial.flips.map((flip: any) => <tr><td>{flip.direction}</td><td>{flip.operation}</td>
        <td class="mono"><bdi>{displayText(flip.pattern, 120)}</bdi></td>
        <td>{flip.stagedRule ? `line ${flip.stagedRule.line ?? "?"}` : "none"}</td><td class="right">{formatCount(flip.count)}</td></tr>)}</tbody></table>
      : <p class="note-text">No decision would be another one so far.</p>}
  </div>;
}
