import { Component, h } from "preact";
import { displayText } from "../format/text";
import { fullTime, shortTime } from "../format/time";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { RulesController, RulesVersion } from "./controller";
import { DiffView } from "./diffView";

interface State {
  chosen: number | null;
  texts: { before: string; after: string } | null;
  problem: string | null;
  isConfirming: boolean;
}

/** The versions, their changes, and the roll-back. */
export class HistoryTab extends Component<{ rules: RulesController }, State> {
  override state: State = { chosen: null, texts: null, problem: null, isConfirming: false };

  override componentDidMount(): void {
    const newest = this.props.rules.versions[0];
    if (newest) void this.choose(newest);
  }

  private async choose(version: RulesVersion): Promise<void> {
    const { rules } = this.props;
    this.setState({ chosen: version.id, texts: null, problem: null });
    try {
      const before = rules.versions.find(each => each.id < version.id);
      const [old, text] = await Promise.all([before ? rules.sourceOf(before.id) : "", rules.sourceOf(version.id)]);
      if (this.state.chosen === version.id) this.setState({ texts: { before: old, after: text } });
    } catch (error) {
      if (this.state.chosen === version.id) this.setState({ problem: errorText(error) });
    }
  }

  private async rollBack(): Promise<void> {
    const { rules } = this.props;
    this.setState({ isConfirming: false });
    try {
      await rules.rollBack(this.state.chosen!);
      if (rules.versions[0]) void this.choose(rules.versions[0]);
    } catch (error) {
      this.setState({ problem: errorText(error) });
    }
  }

  render() {
    const { rules } = this.props;
    const { chosen, texts, problem, isConfirming } = this.state;
    const current = rules.versions[0]?.id;
    return <div class="history">
      <ul class="versions" aria-label="Versions">{rules.versions.map(version => <li key={String(version.id)}>
        <button type="button" class="version" aria-current={version.id === chosen ? "true" : undefined} onClick={() => void this.choose(version)}>
          <b>{version.id}</b><span class="grow cut"><bdi>{displayText(version.comment ?? nameOf(version), 120)}</bdi>
            <span class="note-text"> {authorOf(version)}</span></span>
          {version.id === current ? <span class="chip green">in force</span> : null}
          <time class="note-text" title={fullTime(Date.parse(version.time))}>{shortTime(Date.parse(version.time), Date.now())}</time>
        </button></li>)}</ul>
      <div class="history-text">
        {problem ? <div class="callout red" role="alert">{problem}</div> : null}
        {chosen !== null ? <div class="line"><h2 class="grow">What version {chosen} changed</h2>
          {chosen !== current ? <Button label={`Roll back to version ${chosen}`} reason={rules.readOnlyReason}
            onPress={() => this.setState({ isConfirming: true })} /> : null}</div> : <p class="note-text">No version is kept yet.</p>}
        {texts ? <DiffView {...texts} /> : null}
      </div>
      {isConfirming ? <Sheet title={`Roll back to version ${chosen}`} isWide onClose={() => this.setState({ isConfirming: false })}
        onSubmit={() => void this.rollBack()} foot={<SheetFoot note="It becomes a new version with the old text." label="Roll back"
          onCancel={() => this.setState({ isConfirming: false })} />}>
        <p>The rules in force now stay in the history. Listens that the old rules do not allow are cut at once.</p>
        {texts ? <div class="labelled"><span>What changes in version {current}</span>
          <DiffView before={rules.source} after={texts.after} /></div> : null}</Sheet> : null}
    </div>;
  }
}

function nameOf(version: RulesVersion): string {
  return { deploy: "Deployed", rollback: "Rolled back", promote: "Promoted", file: "From the rules file" }[version.cause ?? ""] ?? "Put in force";
}

function authorOf(version: RulesVersion): string {
  const who = version.author?.name ?? version.author?.kind ?? "";
  return displayText([who, version.tool].filter(each => each).join(", "), 120);
}
