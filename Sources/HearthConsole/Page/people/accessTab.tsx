import { Component, h } from "preact";
import { shown } from "../format/text";
import { App } from "../shell/app";
import { sentence } from "../shell/session";
import { AskedRequest, Explanation } from "../why/explanation";
import { Why } from "../why/why";
import { Icon } from "../widgets/icon";
import { Waiting } from "../widgets/waiting";
import { Person } from "./api";

interface Probe {
  path: string;
  read: Explanation | null;
  write: Explanation | null;
  problem: string | null;
}

interface State {
  probes: Probe[] | null;
  problem: string | null;
  open: { explanation: Explanation; path: string } | null;
}

/** How many places one question decides. */
const PLACES_MAXIMUM = 10;

/** What they may read and write of the places at the top, by the rules in force over the data of now. */
export class AccessTab extends Component<{ app: App; person: Person }, State> {
  override state: State = { probes: null, problem: null, open: null };

  override componentDidMount(): void {
    void this.probe();
  }

  private async probe(): Promise<void> {
    const { app, person } = this.props;
    const { api } = app.session;
    const database = app.data.database;
    try {
      const page = await api.outline(database, "/", { limit: PLACES_MAXIMUM });
      const paths = ["/", ...page.rows.map(row => "/" + row.key)].slice(0, PLACES_MAXIMUM);
      const claims = JSON.parse(person.customAttributes || "{}");
      const auth = { uid: person.localId, provider: "custom", token: { sub: person.localId, email: person.email ?? null, ...claims } };
      const requests: AskedRequest[] = paths.flatMap(path => [{ read: path, auth }, { delete: path, auth }]);
      const { decisions } = await api.server<{ decisions: { explanation?: Explanation; error?: string }[] }>("POST",
        `.settings/rules/decide.json?ns=${encodeURIComponent(database)}`, { requests, explain: true });
      this.setState({ probes: paths.map((path, at) => ({ path, read: decisions[at * 2]?.explanation ?? null,
        write: decisions[at * 2 + 1]?.explanation ?? null, problem: decisions[at * 2]?.error ?? null })) });
    } catch (error) {
      this.setState({ problem: sentence(error) });
    }
  }

  render() {
    const { probes, problem, open } = this.state;
    if (problem) return <div class="callout red" role="alert">{problem}</div>;
    if (!probes) return <Waiting what="the decisions" lines={[70, 70, 70]} />;
    const cell = (explanation: Explanation | null, path: string, word: string) => explanation
      ? <button type="button" class={`chip ${explanation.allowed ? "green" : "red"}`} aria-pressed={String(open?.explanation === explanation)}
        onClick={() => this.setState({ open: open?.explanation === explanation ? null : { explanation, path } })}>
        <Icon name={explanation.allowed ? "check" : "cross"} />{word}</button> : null;
    return <div><p class="note-text nothing">Decided now, by the rules in force. Choose one to see why.</p>
      <ul class="probes">{probes.map(probe => <li><bdi class="mono grow cut">{shown(probe.path, 120)}</bdi>
        {cell(probe.read, probe.path, probe.read?.allowed ? "reads" : "no read")}{cell(probe.write, probe.path, probe.write?.allowed ? "writes" : "no write")}</li>)}</ul>
      {open ? <Why explanation={open.explanation} /> : null}</div>;
  }
}
