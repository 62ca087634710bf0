import { Component, h } from "preact";
import { num } from "../format/number";
import { plural, shown } from "../format/text";
import { fullMoment } from "../format/time";
import { App } from "../shell/app";
import { sentence } from "../state/session";
import { Button } from "../widgets/button";
import { Sheet } from "../widgets/sheet";

interface Letter {
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
export class DeadSheet extends Component<Props, { letters: Letter[] | null; problem: string | null; isBusy: boolean }> {
  override state: { letters: Letter[] | null; problem: string | null; isBusy: boolean } = { letters: null, problem: null, isBusy: false };

  override componentDidMount(): void {
    void this.load();
  }

  private path(part: string): string {
    return `.settings/triggers/${encodeURIComponent(this.props.trigger)}/${part}.json`;
  }

  private async load(): Promise<void> {
    try {
      const { letters } = await this.props.app.session.api.server<{ letters: Letter[] }>("GET", this.path("dead"));
      this.setState({ letters, problem: null });
    } catch (error) {
      this.setState({ problem: sentence(error) });
    }
  }

  private async replay(letter: string | null): Promise<void> {
    this.setState({ isBusy: true, problem: null });
    try {
      const { replayed } = await this.props.app.session.api.server<{ replayed: number }>("POST", this.path("replay"), letter === null ? {} : { letter });
      this.props.app.notices.say(`${num(replayed)} ${plural(replayed, "event")} of ${this.props.trigger} ${replayed === 1 ? "is" : "are"} sent again.`);
      await this.load();
    } catch (error) {
      this.setState({ problem: sentence(error) });
    }
    this.setState({ isBusy: false });
  }

  render() {
    const { app, trigger, onClose } = this.props;
    const { letters, problem, isBusy } = this.state;
    const reason = app.session.readOnlyReason;
    return <Sheet title={`Given up of ${shown(trigger, 60)}`} isWide onClose={onClose} foot={<span class="line grow">
      <span class="grow" /><Button label="Close" kind="quiet" onPress={onClose} />
      {letters?.length ? <Button label="Send all again" kind="primary" reason={reason} isDisabled={isBusy} onPress={() => void this.replay(null)} /> : null}</span>}>
      <p>The receiver refused these events, or did not take them in time. Nothing of them is lost: they are sent again with their old ids.</p>
      {problem ? <span class="problem" role="alert">{problem}</span> : null}
      {letters ? letters.length ? <ul class="letters">{letters.slice(0, SHOWN).map(letter => <li key={letter.letter}>
        <span class="grow"><bdi class="mono">{shown(letter.user ?? `${letter.database ?? ""} ${letter.path ?? ""}`, 160)}</bdi>
          <span class="note-text"> <bdi>{shown(letter.reason, 200)}</bdi>{letter.attempts > 0 ? `, after ${num(letter.attempts)} ${plural(letter.attempts, "attempt")}` : ""},
            {" "}<time>{fullMoment(letter.deadMilliseconds)}</time></span></span>
        <Button label="Send again" reason={reason} isDisabled={isBusy} onPress={() => void this.replay(letter.letter)} /></li>)}</ul>
        : <p class="note-text">There are none.</p> : problem ? null : <p class="note-text">Loading…</p>}
      {letters && letters.length > SHOWN ? <p class="note-text">{num(letters.length - SHOWN)} more</p> : null}</Sheet>;
  }
}
