import { Component, h } from "preact";
import { Access, askAccess } from "../api/access";
import { authVariable } from "../api/identity";
import { num } from "../format/number";
import { plural, shown } from "../format/text";
import { App } from "../shell/app";
import { sentence } from "../state/session";
import { Explanation } from "../why/explanation";
import { Why } from "../why/why";
import { Icon } from "../widgets/icon";
import { Waiting } from "../widgets/waiting";
import { LiveAccess, Person } from "./api";
import { PeopleController } from "./controller";
import { claimsSeen } from "./words";

interface State {
  probes: Access[] | null;
  live: LiveAccess | null;
  problem: string | null;
  /** The explained path and operation. */
  open: string | null;
}

/** The number of paths in one request. */
const PLACES_MAXIMUM = 10;
const LISTENS_SHOWN = 100;
const AGAIN_MILLISECONDS = 5000;

/** The account's read and write access to top-level paths and its own paths below these, and its current listens. */
export class AccessTab extends Component<{ app: App; people: PeopleController; person: Person }, State> {
  override state: State = { probes: null, live: null, problem: null, open: null };

  private timer: ReturnType<typeof setInterval> | undefined;
  private isAsking = false;

  override componentDidMount(): void {
    void this.look();
    this.timer = setInterval(() => document.hidden || void this.look(), AGAIN_MILLISECONDS);
  }

  override componentWillUnmount(): void {
    clearInterval(this.timer);
  }

  /** Refreshes the decisions: rules, data and the account may change meanwhile. One refresh at a time. */
  private async look(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const live = this.props.people.live(this.props.person.localId).catch(error => this.setState({ problem: sentence(error) }));
    await this.probe();
    const found = await live;
    if (found) this.setState({ live: found });
    this.isAsking = false;
  }

  private async probe(): Promise<void> {
    const { app, person } = this.props;
    try {
      const page = await app.session.api.outline(app.data.database, "/", { limit: PLACES_MAXIMUM, isPeek: true });
      const tops = await this.decide(["/", ...page.rows.map(row => "/" + row.key)].slice(0, PLACES_MAXIMUM));
      const below = page.rows.filter(row => row.kind === "object" && tops.some(probe => probe.path === "/" + row.key && !probe.read?.allowed));
      const own = (await this.decide(below.map(row => `/${row.key}/${person.localId}`))).filter(probe => probe.read?.allowed || probe.write?.allowed);
      this.setState({ probes: tops.flatMap(probe => [probe, ...own.filter(each => probe.path !== "/" && each.path.startsWith(probe.path + "/"))]) });
    } catch (error) {
      this.setState({ problem: sentence(error) });
    }
  }

  private decide(paths: string[]): Promise<Access[]> {
    const { app, people, person } = this.props;
    const auth = authVariable({ uid: person.localId, claims: claimsSeen(person, people.tenant) });
    if (person.email) auth.token = { email: person.email, email_verified: person.emailVerified ?? false, ...auth.token };
    return askAccess(app.session.api, app.data.database, paths, auth);
  }

  render() {
    const { probes, live, problem } = this.state;
    if (problem) return <div class="callout red" role="alert"><bdi>{shown(problem, 300)}</bdi></div>;
    if (!probes) return <Waiting what="the decisions" lines={[70, 70, 70]} />;
    return <div><p class="note-text nothing">By the rules in force, decided anew each 5 seconds. Choose one to see why.</p>
      <ul class="probes" aria-label="Places">{probes.map(probe => this.row(probe.path,
        [probe.read, probe.read?.allowed ? "reads" : "no read"], [probe.write, probe.write?.allowed ? "writes" : "no write"]))}</ul>
      {live ? this.listens(live) : null}</div>;
  }

  private listens({ clients, listeners, listens }: LiveAccess) {
    return <div><p class="note-text nothing">{clients ? `${num(clients)} ${plural(clients, "client")} connected, ${num(listeners)} ${plural(listeners, "listener")}:`
      : "No client is connected as this person now."}</p>
      <ul class="probes" aria-label="Listens">{listens.slice(0, LISTENS_SHOWN).map(({ path, explanation }) =>
        this.row(path, [explanation, "holds"]))}</ul>
      {listens.length > LISTENS_SHOWN ? <p class="note-text nothing">{num(listens.length - LISTENS_SHOWN)} more.</p> : null}</div>;
  }

  private row(path: string, ...decided: [Explanation | null, string][]) {
    const { open } = this.state;
    const shownHere = decided.find(([explanation]) => explanation && nameOf(path, explanation) === open)?.[0];
    return <li key={path}><div class="probe"><bdi class="mono grow cut" title={path}>{shown(path, 120)}</bdi>
      {decided.map(([explanation, word]) => this.cell(path, explanation, word))}</div>{shownHere ? <Why explanation={shownHere} /> : null}</li>;
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
