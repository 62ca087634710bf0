import { Component, h } from "preact";
import { loadAccess } from "../api/access";
import { displayText } from "../format/text";
import { Identity } from "../state/route";
import { errorText } from "../state/session";
import { Clause, clausesOf } from "../why/clause";
import { Explanation } from "../why/explanation";
import { ExplanationPanel } from "../why/explanationPanel";
import { Icon } from "../widgets/icon";
import { authVariable } from "../api/identity";
import { identityName } from "./connection";
import type { DataController } from "./controller";

interface Props {
  data: DataController;
  path: string;
  as: Identity | null;
  /** The socket's refusal at this path: a change of it may mean a new decision. */
  refusal: string | null;
}

type Operation = "read" | "write";

interface State {
  read: Explanation | null;
  write: Explanation | null;
  problem: string | null;
  open: Operation | null;
}

const EMPTY: State = { read: null, write: null, problem: null, open: null };
/** The delay before a request, so that moving through a tree makes none. */
const IDLE_MILLISECONDS = 150;
/** The interval of repeated requests: rules and data may change meanwhile. */
const REFRESH_MILLISECONDS = 5000;

/** The access to the selected path by the rules in force, for all clauses or for one identity. */
export class AccessSection extends Component<Props, State> {
  override state: State = EMPTY;
  private requestedFor = "";
  private refreshTimer: ReturnType<typeof setInterval> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  override componentDidMount(): void {
    this.update();
    this.refreshTimer = setInterval(() => document.hidden || !this.requestedFor || void this.load(this.requestedFor), REFRESH_MILLISECONDS);
  }

  override componentDidUpdate(): void {
    this.update();
  }

  override componentWillUnmount(): void {
    clearTimeout(this.timer);
    clearInterval(this.refreshTimer);
    this.requestedFor = "";
  }

  private update(): void {
    const { data, path, as, refusal } = this.props;
    const wanted = JSON.stringify([data.database, path, as, refusal]);
    if (wanted === this.requestedFor) return;
    const isElsewhere = JSON.stringify(JSON.parse(this.requestedFor || "[]").slice(0, 3)) !== JSON.stringify(JSON.parse(wanted).slice(0, 3));
    this.requestedFor = wanted;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(wanted), IDLE_MILLISECONDS);
    if (isElsewhere) this.setState(EMPTY);
  }

  private async load(wanted: string): Promise<void> {
    const { data, path, as } = this.props;
    if (data.session.isEnding) return;
    try {
      const auth = (as && "uid" in as ? authVariable(as) : null);
      const [access] = await loadAccess(data.session.api, data.database, [path], auth);
      if (wanted !== this.requestedFor) return;
      const { read, write, problem } = access!;
      this.setState({ read, write, problem });
    } catch (error) {
      if (wanted === this.requestedFor) this.setState({ problem: errorText(error) });
    }
  }

  render() {
    const { as } = this.props;
    const { read, write, problem, open } = this.state;
    if (problem) return <section class="who-may"><h3>Who may</h3><p class="note-text"><bdi>{displayText(problem, 300)}</bdi></p></section>;
    if (!read || !write) return <span hidden />;
    const explanation = open === "read" ? read : write;
    return <section class="who-may" aria-label={as ? `Access of ${identityName(as)}` : "Access"}>
      <h3>{as ? <span><bdi>{displayText(identityName(as), 60)}</bdi> may</span> : "Access, besides administrators"}</h3>
      {as ? <div class="line">{this.verdict("read", read)}{this.verdict("write", write)}</div>
        : <dl class="facts"><dt>Read</dt><dd>{clauseList(read, "read")}</dd><dt>Write</dt><dd>{clauseList(write, "write")}</dd></dl>}
      {as && open ? <ExplanationPanel explanation={explanation} /> : null}
    </section>;
  }

  private verdict(operation: Operation, { allowed }: Explanation) {
    const { open } = this.state;
    return <button type="button" class={`chip ${allowed ? "green" : "red"}`} aria-expanded={String(open === operation)}
      onClick={() => this.setState({ open: open === operation ? null : operation })}>
      <Icon name={allowed ? "check" : "cross"} />{allowed ? `${operation}s` : `no ${operation}`}: why</button>;
  }
}

function clauseList(explanation: Explanation, operation: Operation) {
  const clauses = clausesOf(explanation, operation);
  if (!clauses.length) return <span>no client{explanation.outcome === "noRule" ? ": no rule covers this path" : ""}</span>;
  return <ul class="ways">{clauses.map((clause, at) => <ClauseItem clause={clause} isFirst={at === 0} />)}</ul>;
}

function ClauseItem(props?: { clause: Clause; isFirst: boolean }) {
  const { clause: { description, text, line, isTrue }, isFirst } = props!;
  return <li>{isFirst ? "" : "or "}{description !== null ? <bdi>{displayText(description, 120)}</bdi> : <span>{isTrue ? "all clients, now that " : ""}
    <code class="mono"><bdi>{displayText(text, 400)}</bdi></code></span>}{" "}
    <a class="link" href={`#/rules?line=${line}`}>line {line}</a></li>;
}
