import { Component, h } from "preact";
import { idOf, listTenants, Tenant, waysOf } from "../api/tenants";
import { shown } from "../format/text";
import { App } from "../shell/app";
import { sentence } from "../state/session";
import { Button } from "../widgets/button";
import { NameSheet } from "./nameSheet";
import { Asked } from "./asked";

interface Props {
  app: App;
  ask: (asked: Asked) => void;
  /** Called when the action is done. */
  done: () => Promise<void>;
}

interface State {
  tenants: Tenant[];
  problem: string | null;
  creates: boolean;
}

/** The tenants, with the actions that make, disable and delete them. */
export class Tenants extends Component<Props, State> {
  override state: State = { tenants: [], problem: null, creates: false };

  override componentDidMount(): void {
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      this.setState({ tenants: await listTenants(this.props.app.session.api), problem: null });
    } catch (error) {
      this.setState({ problem: sentence(error) });
    }
  }

  private async create(displayName: string): Promise<void> {
    const { app } = this.props;
    const made = await app.session.api.server<Tenant>("POST", "tenants", { displayName, allowPasswordSignup: true });
    app.notices.say(`${idOf(made)} is there.`);
    this.setState({ creates: false });
    await this.load();
  }

  private askFor(asked: Omit<Asked, "act">, act: () => Promise<unknown>, told: string): void {
    const { app, ask, done } = this.props;
    ask({ ...asked, act: async () => {
      await act();
      app.notices.say(told);
      await done();
      await this.load();
    } });
  }

  private setDisabled(id: string, disableAuth: boolean): Promise<unknown> {
    return this.props.app.session.api.server("PATCH", `tenants/${id}?updateMask=disableAuth`, { disableAuth });
  }

  private async enable(id: string): Promise<void> {
    const { app } = this.props;
    try {
      await this.setDisabled(id, false);
      app.notices.say(`${id} is enabled.`);
      await this.load();
    } catch (error) {
      app.notices.fail(error);
    }
  }

  render() {
    const { app } = this.props;
    const { tenants, problem, creates } = this.state;
    const reason = app.session.readOnlyReason;
    return <section aria-label="Tenants"><div class="line"><h2 class="grow">Tenants</h2>
      <Button label="New tenant" icon="plus" reason={reason} onPress={() => this.setState({ creates: true })} /></div>
      {problem ? <div class="callout red" role="alert">{problem}</div> : null}
      {tenants.length ? <div>{tenants.map(tenant => this.row(tenant, reason))}</div>
        : <p class="note-text">There is none. A tenant has users of its own, whom nobody outside of it knows.</p>}
      {creates ? <NameSheet title="New tenant" label="Create" placeholder="acme-corp"
        text="Its id begins like its name. Passwords sign in to it; hearth tenants set switches other ways on."
        onClose={() => this.setState({ creates: false })} make={name => this.create(name)} /> : null}
    </section>;
  }

  private row(tenant: Tenant, reason: string | null) {
    const { app } = this.props;
    const id = idOf(tenant);
    const name = shown(id, 64);
    const asked = new URLSearchParams({ tenant: id });
    return <div class="settings-row" key={id}><bdi class="mono cut">{name}</bdi>
      <span class="note-text grow cut">{shown(waysOf(tenant), 80)}</span>{tenant.disableAuth ? <span class="chip red">disabled</span> : null}
      <a class="link" href={`#/people?${asked}`} aria-label={`People of ${name}`} onClick={event => {
        event.preventDefault();
        app.go("people", [], asked);
      }}>People</a>
      {tenant.disableAuth ? <Button label={`Enable ${name}`} reason={reason} onPress={() => void this.enable(id)} />
        : <Button label={`Disable ${name}`} reason={reason} onPress={() => this.askFor({ title: `Disable ${id}`, verb: "Disable",
          told: "Nobody signs in to it and no token of it is renewed until it is enabled again. Who is connected stays so until the token ends, within an hour." },
        () => this.setDisabled(id, true), `${id} is disabled.`)} />}
      <Button label={`Delete ${name}`} kind="danger" reason={reason} onPress={() => this.askFor({ title: `Delete ${id}`, verb: "Delete", typed: id,
        told: "Everybody in it is gone for good, and their connections are signed out; what they wrote in databases stays." },
      () => app.session.api.server("DELETE", `tenants/${id}`), `${id} is deleted.`)} /></div>;
  }
}
