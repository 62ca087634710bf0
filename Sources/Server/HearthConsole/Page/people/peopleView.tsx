import { h } from "preact";
import { formatCount } from "../format/number";
import { displayText } from "../format/text";
import { fullTime, shortTime } from "../format/time";
import { tenantId, tenantFromAddress } from "../api/tenants";
import { App } from "../shell/app";
import { ViewAddress } from "../state/route";
import { Store, View } from "../state/store";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icon";
import { Reconnecting } from "../widgets/reconnecting";
import { SegmentedControl } from "../widgets/segmentedControl";
import { Column, Sorting, Table } from "../widgets/table";
import { LoadingPlaceholder } from "../widgets/loadingPlaceholder";
import { Person } from "./api";
import { PeopleController, StateFilter } from "./controller";
import { initial, PersonPane, ReceiptList } from "./personPane";
import { PeopleSheets } from "./sheets";
import { claimsOf, isAnonymous, nameOf, providersOf, lastSeenAt } from "./personText";

const COLUMNS: Column<Person>[] = [
  { name: "Person", order: "name", width: "minmax(0, 2.2fr)", cell: person => <span class="line"><span class="avatar" aria-hidden="true">{isAnonymous(person) ? "?" : initial(nameOf(person))}</span>
    <bdi class={`cut ${isAnonymous(person) ? "quiet-text" : ""}`}>{displayText(nameOf(person), 80)}</bdi>
    {person.disabled ? <span class="chip red">disabled</span> : null}</span> },
  { name: "uid", width: "minmax(0, 1fr)", isRoomy: true, cell: person => <bdi class="mono cut">{displayText(person.localId, 60)}</bdi> },
  { name: "Signs in with", width: "minmax(0, 1fr)", isRoomy: true, cell: person => providersOf(person) },
  { name: "Claims", width: "minmax(0, 1fr)", isRoomy: true, cell: person => <bdi class="mono cut">{displayText(claimsOf(person), 80)}</bdi> },
  { name: "Seen", order: "seen", width: "minmax(0, 0.9fr)", cell: person => {
    const at = lastSeenAt(person);
    return at === null ? "never" : <time title={fullTime(at)}>{shortTime(at, Date.now())}</time>;
  } },
  { name: "Sessions", order: "sessions", width: "72px", isRight: true, cell: person => formatCount(person.sessions) },
];
const FILTERS: { value: StateFilter; label: string }[] = [{ value: "", label: "All" }, { value: "session", label: "Signed in" },
  { value: "disabled", label: "Disabled" }, { value: "anonymous", label: "Anonymous" }, { value: "unverified", label: "Not verified" }];

/** The view of the accounts, their sessions, their access, and the audit records about them. */
export class PeopleView extends View<{ app: App; address: ViewAddress; database: string }, {}> {
  private readonly people = new PeopleController(this.props.app);
  private field: HTMLInputElement | null = null;

  protected stores(): Store[] {
    return [this.people, this.props.app.session, this.props.app.denials];
  }

  override componentDidMount(): void {
    super.componentDidMount();
    const { app, address } = this.props;
    app.focusSearch = () => this.field?.focus();
    this.people.search(address.parameters.get("q") ?? "", (FILTERS.find(each => each.value === address.parameters.get("state"))?.value ?? ""));
    const order = address.parameters.get("order");
    this.people.api = this.people.api.forTenant(tenantFromAddress(address.parameters.get("tenant")));
    if (order) this.people.sorting = { order: order.replace(/^-/, ""), isDescending: order.startsWith("-") };
    this.people.start();
    this.people.choose(address.parts[0] ?? null);
  }

  override componentDidUpdate(): void {
    this.people.showTenant(tenantFromAddress(this.props.app.address.parameters.get("tenant")));
    this.people.choose(this.props.app.address.parts[0] ?? null);
  }

  override componentWillUnmount(): void {
    super.componentWillUnmount();
    this.people.stop();
  }

  private go(parts: string[], tenant = this.people.tenant): void {
    const parameters = new URLSearchParams();
    if (tenant) parameters.set("tenant", tenant);
    if (this.people.query) parameters.set("q", this.people.query);
    if (this.people.filter) parameters.set("state", this.people.filter);
    if (this.people.sorting) parameters.set("order", (this.people.sorting.isDescending ? "-" : "") + this.people.sorting.order);
    this.props.app.go("people", parts, parameters);
  }

  render() {
    const { address } = this.props;
    const { people } = this;
    const uid = address.parts[0] ?? null;
    const reason = people.readOnlyReason;
    return <main aria-label="People" class={`people-view${uid ? " has-one" : ""}`}>
      <header class="view-head"><h1>People</h1>
        <label class="field people-search"><Icon name="search" /><input aria-label="Mail, name, uid, claim" placeholder="Mail, name, uid, claim"
          spellCheck={false} autocomplete="off" ref={element => (this.field = element as HTMLInputElement)} value={people.query}
          onInput={event => {
            people.search((event.target as HTMLInputElement).value, people.filter);
            this.go(uid ? [uid] : []);
          }} /></label>
        <span class="grow" />
        <Button label="Import" kind="quiet" shrinks reason={reason} onPress={() => people.open({ name: "import" })} />
        <Button label="Receipts" kind="quiet" onPress={() => people.open({ name: "receipts" })} />
        <Button label="Audit trail" kind="quiet" onPress={() => people.open({ name: "audit" })} />
        <Button label="New person" icon="plus" kind="primary" shrinks reason={reason} onPress={() => people.open({ name: "create" })} /></header>
      <div class="pane-head">{this.choice()}<SegmentedControl name="Which" value={people.filter} options={FILTERS} onChoose={(filter: StateFilter) => {
        people.search(people.query, filter);
        this.go(uid ? [uid] : []);
      }} /></div>
      <div class="people-split">
        <Table name="People" columns={COLUMNS} rows={people.list} keyOf={(person: Person) => person.localId} chosen={uid}
          sorting={people.sorting} onSort={(sorting: Sorting | null) => {
            people.sort(sorting);
            this.go(uid ? [uid] : []);
          }} onChoose={(person: Person) => this.go([person.localId])} onEnd={() => people.loadMore()} empty={this.empty()} />
        {this.person(uid)}
      </div>
      {people.sheet ? <PeopleSheets people={people} onCreated={made => this.go([made])} /> : null}
    </main>;
  }

  /** Returns the choice of the tenant, when there are tenants. */
  private choice() {
    const { tenants, tenant } = this.people;
    if (!tenants.length && !tenant) return null;
    const ids = tenants.map(tenantId);
    const options = tenant && !ids.includes(tenant) ? [tenant, ...ids] : ids;
    return <label class="field tenant-choice"><select aria-label="Whose accounts" value={tenant}
      onChange={event => this.go([], (event.target as HTMLSelectElement).value)}>
      <option value="" selected={!tenant}>The project</option>
      {options.map(id => <option value={id} selected={id === tenant}>{displayText(id, 64)}</option>)}</select></label>;
  }

  private person(uid: string | null) {
    const { app, address } = this.props;
    const { selected } = this.people;
    app.setSubject(uid !== null && selected && !("problem" in selected) ? displayText(nameOf(selected.person), 80) : null);
    if (uid === null) return null;
    if (!selected) return <aside class="person" aria-label="Person"><LoadingPlaceholder key={uid} noun="this account" lines={[50, 70, 40]} onStop={() => this.people.stopLoadingPerson()} /></aside>;
    if ("problem" in selected && selected.isReconnecting) {
      return <aside class="person" aria-label="Person"><Reconnecting retry={() => this.people.reloadPerson()} /></aside>;
    }
    if ("problem" in selected) {
      return <aside class="person" aria-label="Person"><div class="empty"><h2><bdi>{selected.problem}</bdi></h2>
        <Button label="Back to the list" onPress={() => this.go([])} /></div>
        <div class="person-body"><ReceiptList people={this.people} uid={uid} /></div></aside>;
    }
    return <PersonPane app={app} people={this.people} answer={selected} tab={address.parts[1] ?? ""} onClose={() => this.go([])}
      onTab={tab => this.go([uid, tab])} />;
  }

  private empty() {
    const { people } = this;
    if (people.isReconnecting) return <Reconnecting retry={() => people.load()} />;
    if (people.problem) return <div class="empty"><h2>{people.problem}</h2><Button label="Try again" onPress={() => void people.load()} /></div>;
    if (people.isLoading) return <LoadingPlaceholder noun="the accounts" lines={[60, 48, 66]} onStop={() => people.stopLoading()} />;
    if (people.query || people.filter) return <div class="empty"><h2>No matches</h2><p>The search covers mail addresses, names, uids, phone numbers and claims.</p></div>;
    return <div class="empty"><h2>No accounts yet</h2><p>Accounts appear here when users sign up in an app. From a shell:</p>
      <div class="shell-line">hearth users create ann@example.com{people.tenant ? ` --tenant ${displayText(people.tenant, 64)}` : ""}</div></div>;
  }
}
