import { Component, h } from "preact";
import { changeTrust, listTrust, Trust, TrustedIssuer } from "../api/trust";
import { formatCount } from "../format/number";
import { displayText, plural } from "../format/text";
import { App } from "../shell/app";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { Confirmation } from "./confirmation";
import { TrustSheet } from "./trustSheet";

interface Props {
  app: App;
  confirm: (asked: Confirmation) => void;
  /** Called when the action is done. */
  done: () => Promise<void>;
}

interface State {
  trust: Trust | null;
  problem: string | null;
  isAdding: boolean;
}

const FIREBASE = "https://securetoken.google.com/";

/** The trusted issuers, whose ID tokens open databases, with the actions that add and remove one. */
export class TrustSection extends Component<Props, State> {
  override state: State = { trust: null, problem: null, isAdding: false };

  override componentDidMount(): void {
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      this.setState({ trust: await listTrust(this.props.app.session.api), problem: null });
    } catch (error) {
      this.setState({ problem: errorText(error) });
    }
  }

  private async add(added: TrustedIssuer): Promise<void> {
    const { app } = this.props;
    // Another administrator may have changed the lists since they were loaded.
    const now = await listTrust(app.session.api);
    const trust = await changeTrust(app.session.api, added.id !== undefined ? { firebaseProjects: [...now.firebaseProjects, added] }
      : { issuers: [...now.issuers, added] });
    app.notices.show("The issuer is trusted.");
    this.setState({ trust, isAdding: false });
  }

  private remove(removed: TrustedIssuer, name: string): void {
    const { app, confirm, done } = this.props;
    const isOther = (issuer: TrustedIssuer) => JSON.stringify(issuer) !== JSON.stringify(removed);
    confirm({ title: `Remove ${name}`, verb: "Remove", explanation: "Its tokens become invalid at once, and its users' connections are signed out.", perform: async () => {
      const now = await listTrust(app.session.api);
      await changeTrust(app.session.api, removed.id !== undefined ? { firebaseProjects: now.firebaseProjects.filter(isOther) }
        : { issuers: now.issuers.filter(isOther) });
      app.notices.show(`${name} is not trusted any more.`);
      await done();
      await this.load();
    } });
  }

  render() {
    const { app } = this.props;
    const { trust, problem, isAdding } = this.state;
    const reason = app.session.readOnlyReason;
    const issuers = trust ? [...trust.firebaseProjects, ...trust.issuers] : [];
    return <section aria-label="Trusted issuers"><div class="line"><h2 class="grow">Trusted issuers</h2>
      <Button label="Trust an issuer" icon="plus" reason={reason} onPress={() => this.setState({ isAdding: true })} /></div>
      {problem ? <div class="callout red" role="alert">{problem}</div> : null}
      {trust?.userLookups.map(lookup => lookup.problem === undefined ? null
        : <div class="callout red" role="alert" key={lookup.issuer}>Users of {displayText(lookup.issuer, 120)} cannot be looked up: {displayText(lookup.problem, 300)}</div>)}
      {issuers.length ? <div>{issuers.map(issuer => this.row(issuer, reason))}</div>
        : <p class="note-text">None. ID tokens of a trusted Firebase project or OpenID Connect issuer open databases.</p>}
      {isAdding ? <TrustSheet onClose={() => this.setState({ isAdding: false })} add={issuer => this.add(issuer)} /> : null}
    </section>;
  }

  private row(issuer: TrustedIssuer, reason: string | null) {
    const name = displayText(issuer.id ?? issuer.issuer ?? "", 120);
    const url = issuer.issuer ?? FIREBASE + issuer.id;
    const lookup = this.state.trust?.userLookups.find(each => each.issuer === url);
    const facts = [issuer.id === undefined ? (issuer.audiences ?? []).join(", ") : "Firebase project",
      issuer.databases ? `opens ${issuer.databases.join(", ")}` : "opens all databases",
      ...(issuer.uidPrefix ? [`uids ${issuer.uidPrefix}…`] : []), ...(lookup ? [`looks up ${formatCount(lookup.users)} ${plural(lookup.users, "user")}`] : [])];
    return <div class="settings-row" key={JSON.stringify(issuer)}><bdi class="mono cut">{name}</bdi>
      <span class="note-text grow cut">{displayText(facts.join("; "), 240)}</span>
      <Button label={`Remove ${name}`} kind="danger" reason={reason} onPress={() => this.remove(issuer, name)} /></div>;
  }
}
