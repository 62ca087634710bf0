import { Component, h } from "preact";
import { plural, shown } from "../format/text";
import { num } from "../format/number";
import { App } from "../shell/app";
import { Place } from "../state/route";
import { sentence } from "../state/session";
import { Button } from "../widgets/button";
import { createDatabase, createServiceAccount } from "./create";
import { NameSheet } from "./nameSheet";
import { Asked } from "./asked";
import { Tenants } from "./tenants";
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
  asked: Asked | null;
  creates: boolean;
  makesAccount: boolean;
}

/** The view of the databases, service accounts and secrets, with the actions that make or destroy them. */
export class SettingsView extends Component<{ app: App; place: Place; database: string }, State> {
  override state: State = { keys: [], secrets: [], accounts: [], problem: null, asked: null, creates: false, makesAccount: false };

  override componentDidMount(): void {
    void this.load();
  }

  private get api() {
    return this.props.app.session.api;
  }

  private async load(): Promise<void> {
    try {
      const [keys, secrets, accounts] = await Promise.all([
        this.api.server<{ keys: Key[] }>("POST", "hearth/v1/keys:list", {}),
        this.api.server<{ secrets: { id: string }[] }>("POST", "hearth/v1/secrets:list", {}),
        this.api.server<{ serviceAccounts: ServiceAccount[] }>("POST", "hearth/v1/serviceAccounts:list", {}),
      ]);
      this.props.app.databases = await this.api.databases();
      this.props.app.changed();
      this.setState({ keys: keys.keys, secrets: secrets.secrets, accounts: accounts.serviceAccounts, problem: null });
    } catch (error) {
      this.setState({ problem: sentence(error) });
    }
  }

  private ask(asked: Asked): void {
    this.setState({ asked });
  }

  render() {
    const { app, database } = this.props;
    const { keys, secrets, accounts, problem, asked, creates, makesAccount } = this.state;
    const reason = app.session.readOnlyReason;
    const done = async () => {
      this.setState({ asked: null, creates: false, makesAccount: false });
      await this.load();
    };
    return <main aria-label="Settings"><header class="view-head"><h1>Settings</h1></header>
      <div class="settings">
        {problem ? <div class="callout red" role="alert">{problem}</div> : null}
        <section aria-label="Databases"><div class="line"><h2 class="grow">Databases</h2>
          <Button label="New database" icon="plus" reason={reason} onPress={() => this.setState({ creates: true })} /></div>
          <div>{app.databases.map(each => <div class="settings-row" key={each.name}><bdi class="mono grow cut">{each.name}</bdi>
            {each.isDefault ? <span class="chip">default</span> : null}{each.name === database ? <span class="chip blue">open</span>
              : <Button label="Open" onPress={() => app.choose(each.name)} />}
            <Button label={`Delete ${each.name}`} kind="danger" reason={reason ?? (each.isDefault ? "The default database stays." : null)}
              onPress={() => this.ask({ title: `Delete ${each.name}`, verb: `Delete ${each.name}`, typed: each.name,
                told: "All of its data, its rules and its history go. Connected clients are told and let go. A backup is the only way back.",
                act: async () => {
                  await this.api.server("DELETE", `.settings/databases/${encodeURIComponent(each.name)}.json`);
                  const home = app.databases.find(other => other.isDefault);
                  if (each.name === app.data.database && home) app.choose(home.name);
                  app.notices.say(`${each.name} is deleted.`);
                  await done();
                } })} /></div>)}</div></section>
        <Tenants app={app} ask={asked => this.ask(asked)} done={done} />
        <section aria-label="Keys"><div class="line"><h2 class="grow">Keys</h2>
          <Button label="Rotate the signing key" reason={reason} onPress={() => this.ask({ title: "Rotate the signing key", verb: "Rotate",
            told: "A new key is published now and signs in an hour; tokens of the old one count until they end.", act: async () => {
              await this.api.server("POST", "hearth/v1/keys:rotate", {});
              app.notices.say("A new key is published.");
              await done();
            } })} /></div>
          <div>{keys.map(key => <div class="settings-row" key={key.kind + key.kid}><span class="cut">{key.kind}</span><bdi class="mono grow cut">{shown(key.kid, 60)}</bdi>
            <span class={`chip ${key.state === "signing" ? "green" : ""}`}>{key.state}</span>
            <Button label={`Remove ${shown(key.kid, 8)}`} kind="danger" reason={reason} onPress={() => this.ask({ title: `Remove the key ${key.kid}`, verb: "Remove",
              told: "Everybody whose token it signed has to refresh it, and live connections that used one end. Where it signs, another one signs at once.",
              act: async () => {
                await this.api.server("POST", "hearth/v1/keys:remove", { kind: key.kind, kid: key.kid });
                app.notices.say("The key is removed.");
                await done();
              } })} /></div>)}</div></section>
        <section aria-label="Database secrets"><div class="line"><h2 class="grow">Database secrets</h2>
          <Button label="Rotate" reason={reason} onPress={() => this.ask({ title: "Rotate the database secret", verb: "Rotate",
            told: secrets.length >= SECRETS_MAXIMUM ? "A new secret is made, and the oldest ends at once, with everything that was signed with it: three are kept."
              : "A new secret is made; the ones before count until they are removed, or three newer ones are there. From a shell, hearth secrets list --plain prints it.", act: async () => {
              await this.api.server("POST", "hearth/v1/secrets:rotate", {});
              app.notices.say("A new secret is made.");
              await done();
            } })} /></div>
          <p class="note-text">Legacy tokens are signed with them, and they open everything. They are never shown here.</p>
          <div>{secrets.map(secret => <div class="settings-row" key={secret.id}><bdi class="mono grow cut">{secret.id}</bdi>
            <Button label={`Remove ${shown(secret.id, 20)}`} kind="danger" reason={reason ?? (secrets.length < 2 ? "It is the only one: rotate first." : null)}
              onPress={() => this.ask({ title: "Remove a database secret", verb: "Remove", told: "Everything that was signed with it ends at once.", act: async () => {
                await this.api.server("POST", "hearth/v1/secrets:remove", { id: secret.id });
                app.notices.say("The secret is removed.");
                await done();
              } })} /></div>)}</div></section>
        <section aria-label="Service accounts"><div class="line"><h2 class="grow">Service accounts</h2>
          <Button label="New service account" icon="plus" reason={reason} onPress={() => this.setState({ makesAccount: true })} /></div>{accounts.length ? <div>{accounts.map(account => <div class="settings-row" key={account.email}>
          <bdi class="mono grow cut">{shown(account.email, 120)}</bdi>{account.disabled ? <span class="chip red">disabled</span>
            : <Button label="Disable" kind="danger" reason={reason} onPress={() => this.ask({ title: `Disable ${account.email}`, verb: "Disable", typed: account.email,
              told: "Its access tokens end at once.", act: async () => {
                await this.api.server("POST", "hearth/v1/serviceAccounts:disable", { email: account.email });
                await done();
              } })} />}</div>)}</div> : <p class="note-text">There is none. Back-end programs sign in with one.</p>}
          {accounts.length ? <p class="note-text">{num(accounts.length)} {plural(accounts.length, "account")}</p> : null}</section>
      </div>
      {asked ? <ConfirmSheet asked={asked} onClose={() => this.setState({ asked: null })} /> : null}
      {makesAccount ? <NameSheet title="New service account" label="Create and save its key" placeholder="ci"
        text="The key file is saved by this browser, and opens everything. Programs read it as Google's admin SDKs do. One that exists already gets a further key."
        onClose={() => this.setState({ makesAccount: false })} make={name => createServiceAccount(app, name).then(done)} /> : null}
      {creates ? <NameSheet title="New database" label="Create" onClose={() => this.setState({ creates: false })}
        make={name => createDatabase(app, name).then(done)} /> : null}
    </main>;
  }
}

class ConfirmSheet extends Component<{ asked: Asked; onClose: () => void }, { typed: string; problem: string | null; isBusy: boolean }> {
  override state = { typed: "", problem: null, isBusy: false };

  private async submit(): Promise<void> {
    this.setState({ isBusy: true, problem: null });
    try {
      await this.props.asked.act();
    } catch (error) {
      this.setState({ isBusy: false, problem: sentence(error) });
    }
  }

  render() {
    const { asked, onClose } = this.props;
    const { typed, problem, isBusy } = this.state;
    return <Sheet title={shown(asked.title, 120)} onClose={onClose} onSubmit={() => void this.submit()} foot={<SheetFoot label={shown(asked.verb, 60)} isDanger
      isDisabled={isBusy || (asked.typed !== undefined && typed !== asked.typed)} onCancel={onClose} />}>
      <p>{asked.told}</p>
      {asked.typed !== undefined ? <TextField label={<span>Type <bdi class="mono">{shown(asked.typed, 120)}</bdi></span>} value={typed}
        onChange={next => this.setState({ typed: next })} /> : null}
      {problem ? <span class="problem" role="alert">{problem}</span> : null}</Sheet>;
  }
}
