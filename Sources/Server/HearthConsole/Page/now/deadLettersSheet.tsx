import { Component, h } from "preact";
import { formatCount } from "../format/number";
import { plural, displayText } from "../format/text";
import { fullTime } from "../format/time";
import { App } from "../shell/app";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { Sheet } from "../widgets/sheet";

interface DeadLetter {
  letter: string;
  database?: string;
  path?: string;
  user?: string;
  deadMilliseconds: number;
  attempts: number;
  reason: string;
}

interface Props {
  app: App;
  trigger: string;
  onClose: () => void;
}

const SHOWN = 100;

/** The dialog of a trigger's dead letters: the reasons, and the choice to retry or drop them. */
export class DeadLettersSheet extends Component<Props, { letters: DeadLetter[] | null; problem: string | null; isBusy: boolean }> {
  override state: { letters: DeadLetter[] | null; problem: string | null; isBusy: boolean } = { letters: null, problem: null, isBusy: false };

  override componentDidMount(): void {
    void this.load();
  }

  private path(part: string): string {
    return `.settings/triggers/${encodeURIComponent(this.props.trigger)}/${part}.json`;
  }

  private async load(): Promise<void> {
    try {
      const { letters } = await this.props.app.session.api.requestAdministration<{ letters: DeadLetter[] }>("GET", this.path("dead"));
      this.setState({ letters, problem: null });
    } catch (error) {
      this.setState({ problem: errorText(error) });
    }
  }

  private async replay(letter: string | null): Promise<void> {
    this.setState({ isBusy: true, problem: null });
    try {
      const { replayed } = await this.props.app.session.api.requestAdministration<{ replayed: number }>("POST", this.path("replay"), letter === null ? {} : { letter });
      this.props.app.notices.show(`${formatCount(replayed)} ${plural(replayed, "event")} of ${this.props.trigger} ${replayed === 1 ? "is" : "are"} sent again.`);
      await this.load();
    } catch (error) {
      this.setState({ problem: errorText(error) });
    }
    this.setState({ isBusy: false });
  }

  render() {
    const { app, trigger, onClose } = this.props;
    const { letters, problem, isBusy } = this.state;
    const reason = app.session.readOnlyReason;
    return <Sheet title={`Given up of ${displayText(trigger, 60)}`} isWide onClose={onClose} foot={<span class="line grow">
      <span class="grow" /><Button label="Close" kind="quiet" onPress={onClose} />
      {letters?.length ? <Button label="Send all again" kind="primary" reason={reason} isDisabled={isBusy} onPress={() => void this.replay(null)} /> : null}</span>}>
      <p>The receiver refused these events, or did not take them in time. Nothing of them is lost: they are sent again with their old ids.</p>
      {problem ? <span class="problem" role="alert">{problem}</span> : null}
      {letters ? letters.length ? <ul class="letters">{letters.slice(0, SHOWN).map(letter => <li key={letter.letter}>
        <span class="grow"><bdi class="mono">{displayText(letter.user ?? `${letter.database ?? ""} ${letter.path ?? ""}`, 160)}</bdi>
          <span class="note-text"> <bdi>{displayText(letter.reason, 200)}</bdi>{letter.attempts > 0 ? `, after ${formatCount(letter.attempts)} ${plural(letter.attempts, "attempt")}` : ""},
            {" "}<time>{fullTime(letter.deadMilliseconds)}</time></span></span>
        <Button label="Send again" reason={reason} isDisabled={isBusy} onPress={() => void this.replay(letter.letter)} /></li>)}</ul>
        : <p class="note-text">There are none.</p> : problem ? null : <p class="note-text">Loading…</p>}
      {letters && letters.length > SHOWN ? <p class="note-text">{formatCount(letters.length - SHOWN)} more</p> : null}</Sheet>;
  }
}
