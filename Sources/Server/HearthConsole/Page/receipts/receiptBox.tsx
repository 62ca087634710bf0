import { h } from "preact";
import { num } from "../format/number";
import { shown } from "../format/text";
import { clock, fullMoment } from "../format/time";
import { Icon } from "../widgets/icon";
import { causeText, headline, histogram, KeptListener, missing, ms, Receipt, scaleEnd } from "./receipt";

const DRAWN = 20;

/** A receipt as a chart: one line for each listener, from the cause to the last byte, on one scale. */
export function ReceiptBox(props?: { receipt: Receipt }) {
  const { receipt } = props!;
  const problem = missing(receipt);
  const end = scaleEnd(receipt);
  const counts: [string, number][] = [["examined", receipt.examined], ["kept", receipt.kept], ["cut", receipt.cancelled],
    ["told", receipt.sent], ["gone", receipt.gone], ["late", receipt.late]];
  const last = Math.max(-1, ...receipt.listeners.map(each => each.lastPosition));
  return <section class="receipt" aria-label={`Receipt ${receipt.id}`}>
    <div class="receipt-head"><div class="grow"><b>{headline(receipt)}</b>
      <div class="note-text" title={fullMoment(receipt.time)}>Receipt {receipt.id}{receipt.database ? ` of ${receipt.database}` : ""}, from{" "}
        <bdi>{shown(causeText(receipt), 80)}</bdi> at {clock(receipt.time)}</div></div>
      {problem ? <span class="chip red"><Icon name="warning" />not complete</span>
        : <span class="chip green"><Icon name="check" />complete</span>}</div>
    {problem ? <p class="receipt-problem" role="alert">{problem}</p> : null}
    {receipt.listeners.length > DRAWN ? <Histogram receipt={receipt} /> : receipt.listeners.length ? <ul class="told" aria-label="Listeners">
      {receipt.listeners.map(listener => <li><bdi class="mono told-path" title={listener.path}>{shown(listener.path, 80)}</bdi>
        {listener.milliseconds !== undefined ? <span class="told-bar" aria-hidden="true"><span style={{ width: `${listener.milliseconds / end * 100}%` }} /></span>
          : <span class="note-text">{listener.outcome === "late" ? "late" : "gone before it was told"}</span>}
        <span class="right">{listener.milliseconds !== undefined ? ms(listener.milliseconds) : ""}</span></li>)}
      <li class="told-scale" aria-hidden="true"><span /><span class="scale"><span>0</span><span>{ms(end / 2)}</span><span>{ms(end)}</span></span><span /></li></ul> : null}
    {receipt.listenersOmitted ? <p class="note-text told-more">{num(receipt.listenersOmitted)} more are not named.</p> : null}
    {receipt.keptListeners?.length ? <Kept listeners={receipt.keptListeners} count={receipt.kept} /> : null}
    <dl class="receipt-counts">{counts.map(([name, count]) => <div key={name}><dt>{name}</dt><dd class={name === "late" && count ? "red-text" : ""}>{num(count)}</dd></div>)}</dl>
    {last >= 0 ? <p class="note-text receipt-foot">The last commit that any of them saw: {num(last)}. The cause stands at {num(receipt.position)}.</p> : null}
  </section>;
}

/** The listeners that continue, and the rules that let them. */
function Kept(props?: { listeners: KeptListener[]; count: number }) {
  const { listeners, count } = props!;
  return <div class="told-kept"><ul aria-label="Kept">{listeners.map(({ path, uid, rule }) => <li>
    <bdi class="mono told-path" title={path}>{shown(path, 80)}</bdi>
    <span class="note-text">{uid === undefined ? "" : <span><bdi>{shown(uid, 40)}</bdi>, </span>}{rule
      ? <span>kept by <a class="link" href={`#/rules?line=${rule.line}`}>.{rule.kind} line {String(rule.line)}</a></span>
      : "kept: rules are not asked"}</span></li>)}</ul>
    {count > listeners.length ? <p class="note-text">{num(count - listeners.length)} more were kept.</p> : null}</div>;
}

function Histogram(props?: { receipt: Receipt }) {
  const { receipt } = props!;
  const counts = histogram(receipt);
  const most = Math.max(1, ...counts);
  const end = scaleEnd(receipt);
  return <div class="told-many"><div class="bars" role="img" aria-label={`Times until told: half within ${ms(receipt.milliseconds?.p50 ?? 0)}, `
    + `99 of 100 within ${ms(receipt.milliseconds?.p99 ?? 0)}`}>{counts.map(count => <span style={{ height: `${count / most * 100}%` }} />)}</div>
    <span class="scale"><span>0</span><span>{ms(end / 2)}</span><span>{ms(end)}</span></span></div>;
}
