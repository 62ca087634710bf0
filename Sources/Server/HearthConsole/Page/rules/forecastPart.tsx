import { Component, h } from "preact";
import { num } from "../format/number";
import { plural, shown } from "../format/text";
import { sentence } from "../state/session";
import { Icon } from "../widgets/icon";
import { Forecast, RulesController } from "./controller";

const SHOWN = 5;

/** The effects of a deploy of the text, loaded when the dialog opens. */
export class ForecastPart extends Component<{ rules: RulesController }, { forecast: Forecast | null; problem: string | null }> {
  override state = { forecast: null as Forecast | null, problem: null as string | null };
  private isGone = false;

  override componentDidMount(): void {
    this.props.rules.forecast().then(forecast => this.isGone || this.setState({ forecast }),
      error => this.isGone || this.setState({ problem: sentence(error) }));
  }

  override componentWillUnmount(): void {
    this.isGone = true;
  }

  render() {
    const { forecast, problem } = this.state;
    return <section class="forecast labelled" aria-label="Forecast" aria-busy={forecast || problem ? undefined : "true"}><span>Forecast</span>
      {problem ? <p class="note-text">There is none: {problem}</p> : forecast ? <Found forecast={forecast} />
        : <p class="note-text">Those who listen, what is stored and what was refused are looked at.</p>}</section>;
  }
}

function Found(props?: { forecast: Forecast }) {
  const { listeners, data, refusals, state } = props!.forecast;
  const failed = Math.max(0, data.failed - data.alreadyFailing);
  return <div><ul class="checks">
    {line(listeners.cancelled === 0, `${num(listeners.cancelled)} of ${num(listeners.examined)} ${plural(listeners.examined, "listen")} would be cut`,
      listeners.patterns.map(each => `${each.pattern}, ${num(each.count)}: ${each.uids.slice(0, 3).map(uid => uid ?? "nobody").join(", ")}`))}
    {line(failed === 0, data.checked === 0 ? "No stored data is asked anything new by .validate"
      : `${num(failed)} of ${num(data.checked)} stored ${plural(data.checked, "place")} would fail a .validate that holds now`,
      data.failures.filter(each => each.count > each.alreadyFailing).map(each => `${each.pattern}, ${num(each.count - each.alreadyFailing)}`))}
    {line(null, `${num(refusals.opened)} of ${num(refusals.examined)} ${plural(refusals.examined, "refusal")} of late would be allowed`,
      refusals.places.map(each => `${each.operation} ${each.path} as ${each.uid ?? "nobody"}`))}</ul>
    {listeners.undecided ? <p class="note-text">Of {num(listeners.undecided)} it takes too long to say.</p> : null}
    {state === "complete" ? null : <p class="note-text">It was not looked at all of it: that takes longer than ten seconds. Staged rules are looked at in full.</p>}</div>;
}

function line(isWell: boolean | null, text: string, examples: string[]) {
  return <li><Icon name={isWell === null ? "dash" : isWell ? "check" : "warning"} /><span>{text}
    {examples.slice(0, SHOWN).map(each => <bdi class="mono example">{shown(each, 160)}</bdi>)}
    {examples.length > SHOWN ? <span class="note-text">and {num(examples.length - SHOWN)} more</span> : null}</span></li>;
}
