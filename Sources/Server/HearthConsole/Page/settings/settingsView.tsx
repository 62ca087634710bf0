import { Component, h } from "preact";
import { plural, displayText } from "../format/text";
import { formatCount } from "../format/number";
import { isUnreachable } from "../api/console";
import { App } from "../shell/app";
import { ViewAddress } from "../state/route";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { Reconnecting } from "../widgets/reconnecting";
import { createDatabase, createServiceAccount } from "./create";
import { NameSheet } from "./nameSheet";
import { Confirmation } from "./confirmation";
import { TenantsSection } from "./tenantsSection";
import { TrustSection } from "./trustSection";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";

/** The maximum number of database secrets; the oldest is dropped. */
const SECRETS_MAXIMUM = 3;

interface Key {
  kind: string;
  kid: string;
  state: string;
  signsAt?: number;
}

interface ServiceAccount {
  email: string;
  disabled: boolean;
}

interface State {
  keys: Key[];
  secrets: { id: string }[];
  accounts: ServiceAccount[];
  problem: string | null;
  /** True when the settings could not be loaded because the server does not answer. */
  isReconnecting: boolean;
  confirmation: Confirmation | null;
  isCreatingDatabase: boolean;
  isCreatingServiceAccount: boolean;
}

/** The view of the databases, service accounts and secrets, with the actions that make or destroy them. */
export class SettingsView extends Component<{ app: App; address: ViewAddress; database: string }, State> {
  override state: State = { keys: [], secrets: [], accounts: [], problem: null, isReconnecting: false, confirmation: null, isCreatingDatabase: false, isCreatingServiceAccount: false };

  override componentDidMount(): void {
    void this.load();
  }

  private get api() {
    return this.props.app.session.api;
  }

  private async load(): Promise<void> {
    try {
      const [keys, secrets, accounts] = await Promise.all([
        this.api.requestAdministration<{ keys: Key[] }>("POST", "hearth/v1/keys:list", {}),
        this.api.requestAdministration<{ secrets: { id: string }[] }>("POST", "hearth/v1/secrets:list", {}),
        this.api.requestAdministration<{ serviceAccounts: ServiceAccount[] }>("POST", "hearth/v1/serviceAccounts:list", {}),
      ]);
      this.props.app.databases = await this.api.databases();
      this.props.app.publish();
      this.setState({ keys: keys.keys, secrets: secrets.secrets, accounts: accounts.serviceAccounts, problem: null, isReconnecting: false });
    } catch (error) {
      this.setState({ problem: errorText(error), isReconnecting: isUnreachable(error) });
    }
  }

  private confirm(confirmation: Confirmation): void {
    this.setState({ confirmation });
  }

  render() {
    const { app, database } = this.props;
    const { keys, secrets, accounts, problem, confirmation, isCreatingDatabase, isCreatingServiceAccount } = this.state;
    const reason = app.session.readOnlyReason;
    const done = async () => {
      this.setState({ confirmation: null, isCreatingDatabase: false, isCreatingServiceAccount: false });
      await this.load();
    };
    const head = <header class="view-head"><h1>Settings</h1></header>;
    if (this.state.isReconnecting && !keys.length) return <main aria-label="Settings">{head}<Reconnecting retry={() => this.load()} /></main>;
    return <main aria-label="Settings">{head}
      <div class="settings">
        {problem ? <div class="callout red" role="alert">{problem}</div> : null}
        <section aria-label="Databases"><div class="line"><h2 class="grow">Databases</h2>
          <Button label="New database" icon="plus" reason={reason} onPress={() => this.setState({ isCreatingDatabase: true })} /></div>
          <div>{app.databases.map(each => <div class="settings-row" key={each.name}><bdi class="mono grow cut">{each.name}</bdi>
            {each.isDefault ? <span class="chip">default</span> : null}{each.name === database ? <span class="chip blue">open</span>
              : <Button label="Open" onPress={() => app.choose(each.name)} />}
            <Button label={`Delete ${each.name}`} kind="danger" reason={reason ?? (each.isDefault ? "The default database cannot be deleted." : null)}
              onPress={() => this.confirm({ title: `Delete ${each.name}`, verb: `Delete ${each.name}`, textToType: each.name,
                explanation: "This deletes its data, rules and history, and disconnects its clients. Only a backup can restore it.",
                perform: async () => {
                  await this.api.requestAdministration("DELETE", `.settings/databases/${encodeURIComponent(each.name)}.json`);
                  const home = app.databases.find(other => other.isDefault);
                  if (each.name === app.data.database && home) app.choose(home.name);
                  app.notices.show(`${each.name} is deleted.`);
                  await done();
                } })} /></div>)}</div></section>
        <TenantsSection app={app} confirm={asked => this.confirm(asked)} done={done} />
        <TrustSection app={app} confirm={asked => this.confirm(asked)} done={done} />
        <section aria-label="Keys"><div class="line"><h2 class="grow">Keys</h2>
          <Button label="Rotate the signing key" reason={reason} onPress={() => this.confirm({ title: "Rotate the signing key", verb: "Rotate",
            explanation: "A new key is published now and signs from an hour on. Tokens of the old key stay valid until they expire.", perform: async () => {
              await this.api.requestAdministration("POST", "hearth/v1/keys:rotate", {});
              app.notices.show("A new key is published.");
              await done();
            } })} /></div>
          <div>{keys.map(key => <div class="settings-row" key={key.kind + key.kid}><span class="cut">{key.kind}</span><bdi class="mono grow cut">{displayText(key.kid, 60)}</bdi>
            <span class={`chip ${key.state === "signing" ? "green" : ""}`}>{key.state}</span>
            <Button label={`Remove ${displayText(key.kid, 8)}`} kind="danger" reason={reason} onPress={() => this.confirm({ title: `Remove the key ${key.kid}`, verb: "Remove",
              explanation: "Tokens that it signed become invalid: users have to refresh them, and their connections are signed out. If it signs new tokens, another key takes over at once.",
              perform: async () => {
                await this.api.requestAdministration("POST", "hearth/v1/keys:remove", { kind: key.kind, kid: key.kid });
                app.notices.show("The key is removed.");
                await done();
              } })} /></div>)}</div></section>
        <section aria-label="Database secrets"><div class="line"><h2 class="grow">Database secrets</h2>
          <Button label="Rotate" reason={reason} onPress={() => this.confirm({ title: "Rotate the database secret", verb: "Rotate",
            explanation: secrets.length >= SECRETS_MAXIMUM ? "A new secret is created. Three are kept: the oldest, and tokens signed with it, become invalid at once."
              : "A new secret is created. Older ones stay valid until they are removed, or are no longer among the newest three. hearth secrets list --plain prints it.", perform: async () => {
              await this.api.requestAdministration("POST", "hearth/v1/secrets:rotate", {});
              app.notices.show("A new secret is created.");
              await done();
            } })} /></div>
          <p class="note-text">They sign legacy tokens and give access to all databases. They are never shown here.</p>
          <div>{secrets.map(secret => <div class="settings-row" key={secret.id}><bdi class="mono grow cut">{secret.id}</bdi>
            <Button label={`Remove ${displayText(secret.id, 20)}`} kind="danger" reason={reason ?? (secrets.length < 2 ? "It is the only secret. Rotate first." : null)}
              onPress={() => this.confirm({ title: "Remove a database secret", verb: "Remove", explanation: "Tokens signed with it become invalid at once.", perform: async () => {
                await this.api.requestAdministration("POST", "hearth/v1/secrets:remove", { id: secret.id });
                app.notices.show("The secret is removed.");
                await done();
              } })} /></div>)}</div></section>
        <section aria-label="Service accounts"><div class="line"><h2 class="grow">Service accounts</h2>
          <Button label="New service account" icon="plus" reason={reason} onPress={() => this.setState({ isCreatingServiceAccount: true })} /></div>{accounts.length ? <div>{accounts.map(account => <div class="settings-row" key={account.email}>
          <bdi class="mono grow cut">{displayText(account.email, 120)}</bdi>{account.disabled ? <span class="chip red">disabled</span>
            : <Button label="Disable" kind="danger" reason={reason} onPress={() => this.confirm({ title: `Disable ${account.email}`, verb: "Disable", textToType: account.email,
              explanation: "Its access tokens become invalid at once.", perform: async () => {
                await this.api.requestAdministration("POST", "hearth/v1/serviceAccounts:disable", { email: account.email });
                await done();
              } })} />}</div>)}</div> : <p class="note-text">No service accounts. Back-end programs sign in with one.</p>}
          {accounts.length ? <p class="note-text">{formatCount(accounts.length)} {plural(accounts.length, "account")}</p> : null}</section>
      </div>
      {confirmation ? <ConfirmSheet confirmation={confirmation} onClose={() => this.setState({ confirmation: null })} /> : null}
      {isCreatingServiceAccount ? <NameSheet title="New service account" label="Create and save its key" placeholder="ci"
        text="The browser saves the key file, which gives access to all data and accounts. Admin SDKs read it. An existing account gets a further key."
        onClose={() => this.setState({ isCreatingServiceAccount: false })} make={name => createServiceAccount(app, name).then(done)} /> : null}
      {isCreatingDatabase ? <NameSheet title="New database" label="Create" onClose={() => this.setState({ isCreatingDatabase: false })}
        make={name => createDatabase(app, name).then(done)} /> : null}
    </main>;
  }
}

class ConfirmSheet extends Component<{ confirmation: Confirmation; onClose: () => void }, { typed: string; problem: string | null; isBusy: boolean }> {
  override state = { typed: "", problem: null, isBusy: false };

  private async submit(): Promise<void> {
    this.setState({ isBusy: true, problem: null });
    try {
      await this.props.confirmation.perform();
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { confirmation, onClose } = this.props;
    const { typed, problem, isBusy } = this.state;
    return <Sheet title={displayText(confirmation.title, 120)} onClose={onClose} onSubmit={() => void this.submit()} foot={<SheetFoot label={displayText(confirmation.verb, 60)} isDanger
      isDisabled={isBusy} reason={!isBusy && confirmation.textToType !== undefined && typed !== confirmation.textToType
        ? `Type ${displayText(confirmation.textToType, 60)} to enable this.` : null} onCancel={onClose} />}>
      <p>{confirmation.explanation}</p>
      {confirmation.textToType !== undefined ? <TextField label={<span>Type <bdi class="mono">{displayText(confirmation.textToType, 120)}</bdi></span>} value={typed}
        onChange={next => this.setState({ typed: next })} /> : null}
      {problem ? <span class="problem" role="alert">{problem}</span> : null}</Sheet>;
  }
}
