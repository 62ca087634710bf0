import { Component, h } from "preact";
import { tenantId, listTenants, Tenant, signInMethodsOf } from "../api/tenants";
import { displayText } from "../format/text";
import { App } from "../shell/app";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { NameSheet } from "./nameSheet";
import { Confirmation } from "./confirmation";

interface Props {
  app: App;
  confirm: (asked: Confirmation) => void;
  /** Called when the action is done. */
  done: () => Promise<void>;
}

interface State {
  tenants: Tenant[];
  problem: string | null;
  isCreating: boolean;
}

/** The tenants, with the actions that make, disable and delete them. */
export class TenantsSection extends Component<Props, State> {
  override state: State = { tenants: [], problem: null, isCreating: false };

  override componentDidMount(): void {
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      this.setState({ tenants: await listTenants(this.props.app.session.api), problem: null });
    } catch (error) {
      this.setState({ problem: errorText(error) });
    }
  }

  private async create(displayName: string): Promise<void> {
    const { app } = this.props;
    const made = await app.session.api.requestAdministration<Tenant>("POST", "tenants", { displayName, allowPasswordSignup: true });
    app.notices.show(`${tenantId(made)} is there.`);
    this.setState({ isCreating: false });
    await this.load();
  }

  private confirm(confirmation: Omit<Confirmation, "perform">, act: () => Promise<unknown>, message: string): void {
    const { app, confirm, done } = this.props;
    confirm({ ...confirmation, perform: async () => {
      await act();
      app.notices.show(message);
      await done();
      await this.load();
    } });
  }

  private setDisabled(id: string, disableAuth: boolean): Promise<unknown> {
    return this.props.app.session.api.requestAdministration("PATCH", `tenants/${id}?updateMask=disableAuth`, { disableAuth });
  }

  private async enable(id: string): Promise<void> {
    const { app } = this.props;
    try {
      await this.setDisabled(id, false);
      app.notices.show(`${id} is enabled.`);
      await this.load();
    } catch (error) {
      app.notices.showError(error);
    }
  }

  render() {
    const { app } = this.props;
    const { tenants, problem, isCreating } = this.state;
    const reason = app.session.readOnlyReason;
    return <section aria-label="Tenants"><div class="line"><h2 class="grow">Tenants</h2>
      <Button label="New tenant" icon="plus" reason={reason} onPress={() => this.setState({ isCreating: true })} /></div>
      {problem ? <div class="callout red" role="alert">{problem}</div> : null}
      {tenants.length ? <div>{tenants.map(tenant => this.row(tenant, reason))}</div>
        : <p class="note-text">No tenants. A tenant has accounts of its own, separate from those of the project.</p>}
      {isCreating ? <NameSheet title="New tenant" label="Create" placeholder="acme-corp"
        text="Its id begins like its name. Passwords sign in to it; hearth tenants set switches other ways on."
        onClose={() => this.setState({ isCreating: false })} make={name => this.create(name)} /> : null}
    </section>;
  }

  private row(tenant: Tenant, reason: string | null) {
    const { app } = this.props;
    const id = tenantId(tenant);
    const name = displayText(id, 64);
    const parameters = new URLSearchParams({ tenant: id });
    return <div class="settings-row" key={id}><bdi class="mono cut">{name}</bdi>
      <span class="note-text grow cut">{displayText(signInMethodsOf(tenant), 80)}</span>{tenant.disableAuth ? <span class="chip red">disabled</span> : null}
      <a class="link" href={`#/people?${parameters}`} aria-label={`People of ${name}`} onClick={event => {
        event.preventDefault();
        app.go("people", [], parameters);
      }}>People</a>
      {tenant.disableAuth ? <Button key="enable" label={`Enable ${name}`} reason={reason} onPress={() => void this.enable(id)} />
        : <Button key="disable" label={`Disable ${name}`} reason={reason} onPress={() => this.confirm({ title: `Disable ${id}`, verb: "Disable",
          explanation: "Sign-ins and token refreshes are refused until it is enabled again. Connected users stay connected until their token expires, within an hour." },
        () => this.setDisabled(id, true), `${id} is disabled.`)} />}
      <Button label={`Delete ${name}`} kind="danger" reason={reason} onPress={() => this.confirm({ title: `Delete ${id}`, verb: "Delete", textToType: id,
        explanation: "This deletes all of its accounts and signs out their connections. Data that they wrote stays." },
      () => app.session.api.requestAdministration("DELETE", `tenants/${id}`), `${id} is deleted.`)} /></div>;
  }
}
