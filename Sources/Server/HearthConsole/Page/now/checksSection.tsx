import { Component, h } from "preact";
import { formatBytes, formatCount } from "../format/number";
import { plural, displayText } from "../format/text";
import { duration, fullTime } from "../format/time";
import { App } from "../shell/app";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icon";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { capitalized, checkSummary, backupProgress } from "./checks";
import { NowController } from "./controller";

const SHOWN = 5;

/** The checks of `hearth doctor`, run by the server. Problems are shown among the other findings. */
export class ChecksSection extends Component<{ now: NowController }, { isOpen: boolean }> {
  override state = { isOpen: false };

  render() {
    const { now } = this.props;
    const { doctor } = now;
    if (!doctor || doctor.isSupported === false) return null;
    const rest = doctor.findings.filter(each => each.severity === "ok" || each.severity === "notice");
    return <section aria-label="Checks"><div class="line"><h2 class="grow">Checks</h2>
      <Button label={doctor.isRunning ? "Checking…" : "Check again"} kind="quiet" reason={doctor.isRunning ? "It is being looked at." : null}
        onPress={() => void now.runChecks()} /></div>
      {doctor.problem ? <p class="callout red">The checks were not completed: {displayText(doctor.problem, 300)}</p> : null}
      {doctor.at === null ? <p class="note-text">Machine, folder and rules are being looked at.</p>
        : <p class="note-text"><button type="button" class="link" aria-expanded={this.state.isOpen ? "true" : "false"}
          onClick={() => this.setState({ isOpen: !this.state.isOpen })}>{checkSummary(doctor)}</button>, <time
          title={fullTime(doctor.at)}>{duration((Date.now() - doctor.at) / 1000)} ago</time></p>}
      {this.state.isOpen ? <ul class="checks">{rest.map(each => <li key={each.code + each.text}><Icon name={each.severity === "ok" ? "check" : "dash"} />
        <bdi>{displayText(capitalized(each.text), 240)}</bdi></li>)}</ul> : null}</section>;
  }
}

/** The newest backups, and the one that is being made. */
export function BackupsSection(props?: { app: App; now: NowController; onStart: () => void }) {
  const { app, now, onStart } = props!;
  const { backups } = now;
  if (!backups) return null;
  const { running, ended, place, reason } = backups;
  const isNewer = ended && (backups.backups[0]?.instant ?? 0) < ended.at;
  return <section aria-label="Backups"><div class="line"><h2 class="grow">Backups</h2>
    <Button label="Back up now" kind="quiet" reason={app.session.readOnlyReason ?? (running ? "One is being made." : reason)} onPress={onStart} /></div>
    {place !== null && place !== "-" ? <p class="note-text">In <bdi class="mono">{displayText(place, 200)}</bdi></p> : null}
    {running ? <div class="progress" role="status"><span>Making one: {displayText(backupProgress(running), 120)}</span>
      <progress aria-label="Backup" {...(running.count ? { value: String(running.done), max: String(running.count) } : {})} /></div> : null}
    {!running && ended?.problem && isNewer ? <p class="callout red" role="alert">The backup failed: {displayText(ended.problem, 300)}</p> : null}
    {reason ? <p class="note-text">{displayText(reason, 300)}</p> : null}
    {backups.backups.length ? <ul class="checks">{backups.backups.slice(0, SHOWN).map(each => <li key={each.backup}><Icon name="check" />
      <span><time title={fullTime(each.instant)}>{duration((Date.now() - each.instant) / 1000)} ago</time>, {each.kind}, {formatBytes(each.sizeBytes)}
        {" "}<span class="note-text">{formatCount(each.databases)} {plural(each.databases, "database")}, keys {each.keys === "none" ? "left out" : each.keys === "clear" ? "in it" : "sealed"}</span></span></li>)}</ul> : null}
  </section>;
}

/** The dialog that describes a backup before it is made. */
export class BackUpSheet extends Component<{ now: NowController; onClose: () => void }, { isBusy: boolean; problem: string | null }> {
  override state = { isBusy: false, problem: null };

  private async submit(): Promise<void> {
    this.setState({ isBusy: true, problem: null });
    try {
      await this.props.now.backUp();
      this.props.onClose();
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { now, onClose } = this.props;
    const { isBusy, problem } = this.state;
    const last = now.backups?.backups[0];
    return <Sheet title="Back up now" onClose={onClose} onSubmit={() => void this.submit()}
      foot={<SheetFoot label={isBusy ? "Beginning…" : "Back up now"} isDisabled={isBusy} onCancel={onClose} />}>
      <p>All databases, the accounts and the settings, as they are at one instant, are added to <bdi class="mono">{displayText(now.backups?.place ?? "", 200)}</bdi>,
        as the last one was{last ? `: keys ${last.keys === "none" ? "left out" : "in it"}` : ""}. The server goes on meanwhile.</p>
      {problem ? <span class="problem" role="alert">{problem}</span> : null}</Sheet>;
  }
}
