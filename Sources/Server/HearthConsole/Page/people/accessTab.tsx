import { Component, h } from "preact";
import { Access, loadAccess } from "../api/access";
import { authVariable } from "../api/identity";
import { formatCount } from "../format/number";
import { plural, displayText } from "../format/text";
import { App } from "../shell/app";
import { errorText } from "../state/session";
import { Explanation } from "../why/explanation";
import { ExplanationPanel } from "../why/explanationPanel";
import { Icon } from "../widgets/icon";
import { LoadingPlaceholder } from "../widgets/loadingPlaceholder";
import { LiveAccess, Person } from "./api";
import { PeopleController } from "./controller";
import { tokenClaims } from "./personText";

interface State {
  decisions: Access[] | null;
  live: LiveAccess | null;
  problem: string | null;
  /** The explained path and operation. */
  open: string | null;
}

/** The number of paths in one request. */
const PATHS_MAXIMUM = 10;
const LISTENS_SHOWN = 100;
const REFRESH_MILLISECONDS = 5000;

/** The account's read and write access to top-level paths and its own paths below these, and its current listens. */
export class AccessTab extends Component<{ app: App; people: PeopleController; person: Person }, State> {
  override state: State = { decisions: null, live: null, problem: null, open: null };

  private timer: ReturnType<typeof setInterval> | undefined;
  private isRefreshing = false;

  override componentDidMount(): void {
    void this.refresh();
    this.timer = setInterval(() => document.hidden || void this.refresh(), REFRESH_MILLISECONDS);
  }

  override componentWillUnmount(): void {
    clearInterval(this.timer);
  }

  /** Refreshes the decisions: rules, data and the account may change meanwhile. One refresh at a time. */
  private async refresh(): Promise<void> {
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    const live = this.props.people.liveAccess(this.props.person.localId).catch(error => this.setState({ problem: errorText(error) }));
    await this.loadDecisions();
    const found = await live;
    if (found) this.setState({ live: found });
    this.isRefreshing = false;
  }

  private async loadDecisions(): Promise<void> {
    const { app, person } = this.props;
    try {
      const page = await app.session.api.outline(app.data.database, "/", { limit: PATHS_MAXIMUM, isBackground: true });
      const tops = await this.decide(["/", ...page.rows.map(row => "/" + row.key)].slice(0, PATHS_MAXIMUM));
      const below = page.rows.filter(row => row.kind === "object" && tops.some(probe => probe.path === "/" + row.key && !probe.read?.allowed));
      const own = (await this.decide(below.map(row => `/${row.key}/${person.localId}`))).filter(probe => probe.read?.allowed || probe.write?.allowed);
      this.setState({ decisions: tops.flatMap(probe => [probe, ...own.filter(each => probe.path !== "/" && each.path.startsWith(probe.path + "/"))]) });
    } catch (error) {
      this.setState({ problem: errorText(error) });
    }
  }

  private decide(paths: string[]): Promise<Access[]> {
    const { app, people, person } = this.props;
    const auth = authVariable({ uid: person.localId, claims: tokenClaims(person, people.tenant) });
    if (person.email) auth.token = { email: person.email, email_verified: person.emailVerified ?? false, ...auth.token };
    return loadAccess(app.session.api, app.data.database, paths, auth);
  }

  render() {
    const { decisions, live, problem } = this.state;
    if (problem) return <div class="callout red" role="alert"><bdi>{displayText(problem, 300)}</bdi></div>;
    if (!decisions) return <LoadingPlaceholder noun="the decisions" lines={[70, 70, 70]} />;
    return <div><p class="note-text nothing">By the rules in force, evaluated every 5 seconds. Select one to see the reason.</p>
      <ul class="probes" aria-label="Places">{decisions.map(probe => this.row(probe.path,
        [probe.read, probe.read?.allowed ? "reads" : "no read"], [probe.write, probe.write?.allowed ? "writes" : "no write"]))}</ul>
      {live ? this.listens(live) : null}</div>;
  }

  private listens({ clients, listeners, listens }: LiveAccess) {
    return <div><p class="note-text nothing">{clients ? `${formatCount(clients)} ${plural(clients, "client")} connected, ${formatCount(listeners)} ${plural(listeners, "listener")}:`
      : "No client of this account is connected now."}</p>
      <ul class="probes" aria-label="Listens">{listens.slice(0, LISTENS_SHOWN).map(({ path, explanation }) =>
        this.row(path, [explanation, "holds"]))}</ul>
      {listens.length > LISTENS_SHOWN ? <p class="note-text nothing">{formatCount(listens.length - LISTENS_SHOWN)} more.</p> : null}</div>;
  }

  private row(path: string, ...decided: [Explanation | null, string][]) {
    const { open } = this.state;
    const shownHere = decided.find(([explanation]) => explanation && nameOf(path, explanation) === open)?.[0];
    return <li key={path}><div class="probe"><bdi class="mono grow cut" title={path}>{displayText(path, 120)}</bdi>
      {decided.map(([explanation, word]) => this.cell(path, explanation, word))}</div>{shownHere ? <ExplanationPanel explanation={shownHere} /> : null}</li>;
  }

  private cell(path: string, explanation: Explanation | null, word: string) {
    if (!explanation) return null;
    const name = nameOf(path, explanation);
    const isOpen = this.state.open === name;
    return <button type="button" class={`chip ${explanation.allowed ? "green" : "red"}`} aria-pressed={String(isOpen)}
      onClick={() => this.setState({ open: isOpen ? null : name })}><Icon name={explanation.allowed ? "check" : "cross"} />{word}</button>;
  }
}

function nameOf(path: string, explanation: Explanation): string {
  return `${explanation.operation} ${path}`;
}
