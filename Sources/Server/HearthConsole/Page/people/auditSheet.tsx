import { Component, h } from "preact";
import { formatCount } from "../format/number";
import { displayText } from "../format/text";
import { fullTime, shortTime } from "../format/time";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icon";
import { Sheet } from "../widgets/sheet";
import { TextField } from "../widgets/textField";
import { AuditRecord } from "./api";
import { PeopleController } from "./controller";
import { eventText } from "./personText";

interface State {
  records: AuditRecord[] | null;
  filter: string;
  verdict: { isWhole: boolean; text: string } | null;
  problem: string | null;
}

const RECORDS_MAXIMUM = 500;

/** The dialog of the newest audit records, with the check of the trail's integrity. */
export class AuditSheet extends Component<{ people: PeopleController }, State> {
  override state: State = { records: null, filter: "", verdict: null, problem: null };

  override componentDidMount(): void {
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      this.setState({ records: (await this.props.people.api.audit(RECORDS_MAXIMUM)).reverse() });
    } catch (error) {
      this.setState({ problem: errorText(error) });
    }
  }

  private async verify(): Promise<void> {
    try {
      const { isWhole, records, broken } = await this.props.people.api.verify();
      this.setState({ verdict: { isWhole, text: isWhole ? `${formatCount(records ?? 0)} records checked, the chain is unbroken.`
        : `Broken at record ${broken!.sequence}: ${broken!.reason}` } });
    } catch (error) {
      this.setState({ problem: errorText(error) });
    }
  }

  render() {
    const { people } = this.props;
    const { records, filter, verdict, problem } = this.state;
    const words = filter.toLowerCase().split(/\s+/).filter(word => word);
    const matching = (records ?? []).filter(record => words.every(word => JSON.stringify(record).toLowerCase().includes(word)));
    return <Sheet title={people.tenant ? `Audit trail of ${displayText(people.tenant, 64)}` : "Audit trail"} isWide name="audit" onClose={() => people.open(null)}
      foot={<div class="line grow"><span class="grow" aria-live="polite">{verdict ? <span class={`chip ${verdict.isWhole ? "green" : "red"}`}>
        <Icon name={verdict.isWhole ? "check" : "warning"} />{verdict.text}</span> : null}</span>
        <Button label="Verify" onPress={() => void this.verify()} /></div>}>
      <TextField label={`Filter the newest ${formatCount(RECORDS_MAXIMUM)}`} isProse value={filter} onChange={next => this.setState({ filter: next })} />
      {problem ? <span class="problem" role="alert">{problem}</span> : null}
      <ul class="audit-list" tabIndex={0} aria-label="Records">{matching.map(record => <li key={String(record.seq)}><span class="note-text">{record.seq}</span>
        <time class="note-text" title={fullTime(Date.parse(record.time))}>{shortTime(Date.parse(record.time), Date.now())}</time>
        <span class="grow"><b>{eventText(record.event)}</b> <bdi>{displayText([record.uid, record.email, record.detail].filter(part => part).join(", "), 300)}</bdi></span>
        <bdi class="note-text">{displayText(record.ip ?? "", 60)}</bdi></li>)}</ul>
      {records && !matching.length ? <p class="note-text">No matches.</p> : null}
    </Sheet>;
  }
}
