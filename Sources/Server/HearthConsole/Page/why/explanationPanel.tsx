import { h } from "preact";
import { displayText } from "../format/text";
import { jsonText } from "../tree/input";
import { Icon } from "../widgets/icon";
import { IconName } from "../widgets/icons";
import { RulesRequest, decidingVisit, Explanation, PartResult, ConditionPart, partsOf, valueText } from "./explanation";

const MARKS: { [mark in PartResult]: { icon: IconName; name: string } } = {
  held: { icon: "check", name: "true" }, failed: { icon: "cross", name: "not true" }, unasked: { icon: "dash", name: "not evaluated" },
};
const VALUE_LIMIT = 2000;

interface ExplanationProps {
  explanation: Explanation;
  request?: RulesRequest;
  /** The circumstances beside the decision: user, time and connection. */
  circumstances?: JSX.Element | string;
  /** Called with the rule's line when its link is pressed. */
  onLine?: (line: number) => void;
  /** The available actions. */
  actions?: JSX.Element;
}

/** The explanation of a decision: the rule that decided, part by part, and the source of each part's value. */
export function ExplanationPanel(props?: ExplanationProps) {
  const { explanation, request, circumstances, onLine, actions } = props!;
  const visit = decidingVisit(explanation);
  const parts = visit ? partsOf(visit) : [];
  const verdict = `${explanation.operation} ${explanation.allowed ? "allowed" : "refused"}`;
  return <section class="why" aria-label="Why">
    <div class="line"><span class={`chip ${explanation.allowed ? "green" : "red"}`}>
      <Icon name={explanation.allowed ? "check" : "cross"} />{verdict}</span><bdi class="mono cut">{displayText(explanation.path, 200)}</bdi></div>
    {circumstances ? <p class="why-who">{circumstances}</p> : null}
    <p>{outcomeText(explanation)}{visit && explanation.rule ? <span> {explanation.allowed ? "It is" : "The last one evaluated is"}{" "}
      <code class="mono">.{explanation.rule.kind}</code> of <bdi class="mono">{displayText(explanation.rule.path, 120)}</bdi>,{" "}
      {onLine ? <button type="button" class="link" onClick={() => onLine(explanation.rule!.line)}>line {explanation.rule.line}</button>
        : `line ${explanation.rule.line}`}.</span> : null}</p>
    {parts.length ? <ol class="parts" aria-label="Parts of the rule">{parts.map(part => <PartRow part={part} />)}</ol> : null}
    {actions ? <div class="why-actions">{actions}</div> : null}
    {visit?.reads.length ? <div class="why-block"><h2>Data that was read</h2><dl class="looked">{visit.reads.slice(0, 12).map(read =>
      <div><dt><bdi class="mono">{displayText(read.path, 160)}</bdi>{read.after ? <span class="note-text"> after the write</span> : null}</dt>
        <dd class="mono">{read.aspect === "value" || read.aspect === "priority" ? displayText(valueText(read.value), 120)
          : read.aspect === "exists" ? read.value ? "something" : "nothing" : read.value ? "children" : "no children"}</dd></div>)}</dl></div> : null}
    {request ? <RequestDetails request={request} /> : null}
  </section>;
}

function outcomeText(explanation: Explanation): string {
  if (explanation.error) return `A rule could not be evaluated (${explanation.error}), which counts as false.`;
  switch (explanation.outcome) {
    case "granted": return "A rule allowed it.";
    case "noRule": return "No rule covers this path, so the request is refused.";
    case "invalid": return "A rule allowed it, but a validation failed.";
    case "noGrant": return "No rule along the path was true.";
  }
}

function PartRow(props?: { part: ConditionPart }) {
  const { part } = props!;
  const { icon, name } = MARKS[part.mark];
  return <li class={`part ${part.mark}`}><span class="part-mark" role="img" aria-label={name}><Icon name={icon} /></span>
    <div class="grow"><code class="mono">{part.connective ? part.connective + " " : ""}<bdi>{displayText(part.traced.text, 600)}</bdi></code>
      {part.sources.map(text => <div class="because"><bdi>{displayText(text, 200)}</bdi></div>)}</div>
    <code class="mono part-value">{displayText(part.value, 60)}</code></li>;
}

function RequestDetails(props?: { request: RulesRequest }) {
  const { request } = props!;
  const auth = request.auth ?? null;
  return <div>
    {request.value !== undefined ? <div class="why-block"><h2>Value to write</h2>
      <pre class="asked mono"><bdi>{shownLines(jsonText(request.value))}</bdi></pre></div> : null}
    {request.query ? <div class="why-block"><h2>The query</h2><pre class="asked mono"><bdi>{shownLines(jsonText(request.query))}</bdi></pre></div> : null}
    {auth !== null ? <details class="why-block"><summary>The client, as rules see it</summary>
      <pre class="asked mono"><bdi>{shownLines(jsonText(auth))}</bdi></pre></details> : null}
  </div>;
}

function shownLines(text: string): string {
  return text.slice(0, VALUE_LIMIT * 4).split("\n").slice(0, 60).map(line => displayText(line, VALUE_LIMIT)).join("\n");
}
