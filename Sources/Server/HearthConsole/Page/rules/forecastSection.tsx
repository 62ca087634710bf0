import { Component, h } from "preact";
import { formatCount } from "../format/number";
import { plural, displayText } from "../format/text";
import { errorText } from "../state/session";
import { Icon } from "../widgets/icon";
import { Forecast, RulesController } from "./controller";

const SHOWN = 5;

/** The effects of a deploy of the text, loaded when the dialog opens. */
export class ForecastSection extends Component<{ rules: RulesController }, { forecast: Forecast | null; problem: string | null }> {
  override state = { forecast: null as Forecast | null, problem: null as string | null };
  private isUnmounted = false;

  override componentDidMount(): void {
    this.props.rules.forecast().then(forecast => this.isUnmounted || this.setState({ forecast }),
      error => this.isUnmounted || this.setState({ problem: errorText(error) }));
  }

  override componentWillUnmount(): void {
    this.isUnmounted = true;
  }

  render() {
    const { forecast, problem } = this.state;
    return <section class="forecast labelled" aria-label="Forecast" aria-busy={forecast || problem ? undefined : "true"}><span>Forecast</span>
      {problem ? <p class="note-text">There is none: {problem}</p> : forecast ? <ForecastResults forecast={forecast} />
        : <p class="note-text">Current listeners, stored data and recent denials are evaluated.</p>}</section>;
  }
}

function ForecastResults(props?: { forecast: Forecast }) {
  const { listeners, data, refusals, state } = props!.forecast;
  const failed = Math.max(0, data.failed - data.alreadyFailing);
  return <div><ul class="checks">
    {line(listeners.cancelled === 0, `${formatCount(listeners.cancelled)} of ${formatCount(listeners.examined)} ${plural(listeners.examined, "listen")} would be cut`,
      listeners.patterns.map(each => `${each.pattern}, ${formatCount(each.count)}: ${each.uids.slice(0, 3).map(uid => uid ?? "signed out").join(", ")}`))}
    {line(failed === 0, data.checked === 0 ? "No .validate rule applies to stored data"
      : `${formatCount(failed)} of ${formatCount(data.checked)} stored ${plural(data.checked, "place")} would fail a .validate that holds now`,
      data.failures.filter(each => each.count > each.alreadyFailing).map(each => `${each.pattern}, ${formatCount(each.count - each.alreadyFailing)}`))}
    {line(null, `${formatCount(refusals.opened)} of ${formatCount(refusals.examined)} recent ${plural(refusals.examined, "refusal")} would be allowed`,
      refusals.places.map(each => `${each.operation} ${each.path} as ${each.uid ?? "a signed-out client"}`))}</ul>
    {listeners.undecided ? <p class="note-text">{formatCount(listeners.undecided)} {plural(listeners.undecided, "listener")} could not be evaluated in time.</p> : null}
    {state === "complete" ? null : <p class="note-text">The forecast is incomplete, because it takes longer than ten seconds. Staged rules are evaluated in full.</p>}</div>;
}

function line(isWell: boolean | null, text: string, examples: string[]) {
  return <li><Icon name={isWell === null ? "dash" : isWell ? "check" : "warning"} /><span>{text}
    {examples.slice(0, SHOWN).map(each => <bdi class="mono example">{displayText(each, 160)}</bdi>)}
    {examples.length > SHOWN ? <span class="note-text">and {formatCount(examples.length - SHOWN)} more</span> : null}</span></li>;
}
