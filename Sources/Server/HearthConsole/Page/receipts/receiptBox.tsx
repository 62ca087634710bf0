import { h } from "preact";
import { formatCount } from "../format/number";
import { displayText } from "../format/text";
import { timeOfDay, fullTime } from "../format/time";
import { Icon } from "../widgets/icon";
import { causeText, headline, histogram, KeptListener, outstanding, formatMilliseconds, Receipt, scaleEnd } from "./receipt";

const DRAWN = 20;

/** A receipt as a chart: one line for each listener, from the cause to the last byte, on one scale. */
export function ReceiptBox(props?: { receipt: Receipt }) {
  const { receipt } = props!;
  const problem = outstanding(receipt);
  const end = scaleEnd(receipt);
  const counts: [string, number][] = [["examined", receipt.examined], ["kept", receipt.kept], ["cut", receipt.cancelled],
    ["told", receipt.sent], ["gone", receipt.gone], ["late", receipt.late]];
  const last = Math.max(-1, ...receipt.listeners.map(each => each.lastPosition));
  return <section class="receipt" aria-label={`Receipt ${receipt.id}`}>
    <div class="receipt-head"><div class="grow"><b>{headline(receipt)}</b>
      <div class="note-text" title={fullTime(receipt.time)}>Receipt {receipt.id}{receipt.database ? ` of ${receipt.database}` : ""}, from{" "}
        <bdi>{displayText(causeText(receipt), 80)}</bdi> at {timeOfDay(receipt.time)}</div></div>
      {problem ? <span class="chip red"><Icon name="warning" />not complete</span>
        : <span class="chip green"><Icon name="check" />complete</span>}</div>
    {problem ? <p class="receipt-problem" role="alert">{problem}</p> : null}
    {receipt.listeners.length > DRAWN ? <Histogram receipt={receipt} /> : receipt.listeners.length ? <ul class="told" aria-label="Listeners">
      {receipt.listeners.map(listener => <li><bdi class="mono told-path" title={listener.path}>{displayText(listener.path, 80)}</bdi>
        {listener.milliseconds !== undefined ? <span class="told-bar" aria-hidden="true"><span style={{ width: `${listener.milliseconds / end * 100}%` }} /></span>
          : <span class="note-text">{listener.outcome === "late" ? "late" : "disconnected before"}</span>}
        <span class="right">{listener.milliseconds !== undefined ? formatMilliseconds(listener.milliseconds) : ""}</span></li>)}
      <li class="told-scale" aria-hidden="true"><span /><span class="scale"><span>0</span><span>{formatMilliseconds(end / 2)}</span><span>{formatMilliseconds(end)}</span></span><span /></li></ul> : null}
    {receipt.listenersOmitted ? <p class="note-text told-more">{formatCount(receipt.listenersOmitted)} more are not named.</p> : null}
    {receipt.keptListeners?.length ? <KeptListeners listeners={receipt.keptListeners} count={receipt.kept} /> : null}
    <dl class="receipt-counts">{counts.map(([name, count]) => <div key={name}><dt>{name}</dt><dd class={name === "late" && count ? "red-text" : ""}>{formatCount(count)}</dd></div>)}</dl>
    {last >= 0 ? <p class="note-text receipt-foot">The last commit that any of them saw: {formatCount(last)}. The cause stands at {formatCount(receipt.position)}.</p> : null}
  </section>;
}

/** The listeners that continue, and the rules that let them. */
function KeptListeners(props?: { listeners: KeptListener[]; count: number }) {
  const { listeners, count } = props!;
  return <div class="told-kept"><ul aria-label="Kept">{listeners.map(({ path, uid, rule }) => <li>
    <bdi class="mono told-path" title={path}>{displayText(path, 80)}</bdi>
    <span class="note-text">{uid === undefined ? "" : <span><bdi>{displayText(uid, 40)}</bdi>, </span>}{rule
      ? <span>kept by <a class="link" href={`#/rules?line=${rule.line}`}>.{rule.kind} line {String(rule.line)}</a></span>
      : "kept: rules are not asked"}</span></li>)}</ul>
    {count > listeners.length ? <p class="note-text">{formatCount(count - listeners.length)} more were kept.</p> : null}</div>;
}

function Histogram(props?: { receipt: Receipt }) {
  const { receipt } = props!;
  const counts = histogram(receipt);
  const most = Math.max(1, ...counts);
  const end = scaleEnd(receipt);
  return <div class="told-many"><div class="bars" role="img" aria-label={`Times until told: half within ${formatMilliseconds(receipt.milliseconds?.p50 ?? 0)}, `
    + `99 of 100 within ${formatMilliseconds(receipt.milliseconds?.p99 ?? 0)}`}>{counts.map(count => <span style={{ height: `${count / most * 100}%` }} />)}</div>
    <span class="scale"><span>0</span><span>{formatMilliseconds(end / 2)}</span><span>{formatMilliseconds(end)}</span></span></div>;
}
