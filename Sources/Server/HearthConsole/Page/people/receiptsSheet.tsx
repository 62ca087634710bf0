import { Component, h } from "preact";
import { displayText } from "../format/text";
import { fullTime, shortTime } from "../format/time";
import { causeText, headline, Receipt } from "../receipts/receipt";
import { ReceiptBox } from "../receipts/receiptBox";
import { errorText } from "../state/session";
import { Sheet } from "../widgets/sheet";
import { TextField } from "../widgets/textField";
import { LoadingPlaceholder } from "../widgets/loadingPlaceholder";
import { PeopleController } from "./controller";

interface State {
  receipts: Receipt[] | null;
  filter: string;
  open: number | null;
  problem: string | null;
}

const KEPT = 1000;
const RETRY_MILLISECONDS = 3000;

/** The dialog of revocation receipts, the newest first, live; each opens into the notified clients. */
export class ReceiptsSheet extends Component<{ people: PeopleController }, State> {
  override state: State = { receipts: null, filter: "", open: null, problem: null };
  private isMounted = true;

  override componentDidMount(): void {
    void this.follow();
  }

  override componentWillUnmount(): void {
    this.isMounted = false;
  }

  private async follow(): Promise<void> {
    const { api } = this.props.people;
    let after: number | null = null;
    while (this.isMounted) {
      try {
        const { receipts, last }: { receipts: Receipt[]; last: number } = await (after === null ? api.newestReceipts() : api.receiptsAfter(after));
        if (!this.isMounted) return;
        const known = new Set((this.state.receipts ?? []).map(receipt => receipt.id));
        const come = receipts.filter(receipt => !known.has(receipt.id)).sort((a, b) => b.id - a.id);
        this.setState({ receipts: [...come, ...(this.state.receipts ?? [])].slice(0, KEPT), problem: null });
        after = last;
      } catch (error) {
        if (!this.isMounted) return;
        this.setState({ problem: errorText(error) });
        await new Promise(later => setTimeout(later, RETRY_MILLISECONDS));
      }
    }
  }

  render() {
    const { people } = this.props;
    const { receipts, filter, open, problem } = this.state;
    const words = filter.toLowerCase().split(/\s+/).filter(word => word);
    const fit = (receipts ?? []).filter(receipt => words.every(word => JSON.stringify(receipt).toLowerCase().includes(word)));
    return <Sheet title="Receipts" isWide name="receipts" onClose={() => people.open(null)}>
      <p class="note-text">Each loss of access has a receipt: by a deploy of rules, a change of data, an account or an expired token.</p>
      <TextField label="Filter by cause, uid, path, connection" isProse value={filter} onChange={next => this.setState({ filter: next })} />
      {problem ? <span class="problem" role="alert"><bdi>{displayText(problem, 300)}</bdi></span> : null}
      {receipts === null && !problem ? <LoadingPlaceholder noun="the receipts" lines={[60]} /> : null}
      <ol class="timeline receipts-list" tabIndex={0} aria-label="Receipts">{fit.map(receipt => <li key={String(receipt.id)}>
        <span class={`knot ${receipt.isComplete ? "green" : "red"}`} />
        {open === receipt.id ? <div class="grow"><button type="button" class="link" aria-expanded="true" onClick={() => this.setState({ open: null })}>Less</button>
          <ReceiptBox receipt={receipt} /></div>
          : <button type="button" class="receipt-line grow" aria-expanded="false" onClick={() => this.setState({ open: receipt.id })}>
            <b>{headline(receipt)}</b>{receipt.isComplete ? null : <span class="chip red">not complete</span>}{" "}
            <span class="note-text"><bdi>{displayText(causeText(receipt), 80)}</bdi>{receipt.database ? <span>, <bdi class="mono">{displayText(receipt.database, 60)}</bdi></span> : null}</span></button>}
        <time title={fullTime(receipt.time)}>{shortTime(receipt.time, Date.now())}</time></li>)}</ol>
      {receipts && !fit.length ? <p class="note-text">{filter ? "No matches." : "No access was revoked since the server started."}</p> : null}
    </Sheet>;
  }
}
