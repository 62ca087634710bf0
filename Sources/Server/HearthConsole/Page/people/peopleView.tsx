import { h } from "preact";
import { num } from "../format/number";
import { shown } from "../format/text";
import { fullMoment, moment } from "../format/time";
import { idOf, tenantIn } from "../api/tenants";
import { App } from "../shell/app";
import { Place } from "../state/route";
import { Store, View } from "../state/store";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icon";
import { Seg } from "../widgets/seg";
import { Column, Sorting, Table } from "../widgets/table";
import { Waiting } from "../widgets/waiting";
import { Person } from "./api";
import { PeopleController, StateFilter } from "./controller";
import { initial, PersonPane, Receipts } from "./personPane";
import { PeopleSheets } from "./sheets";
import { claimsOf, isAnonymous, nameOf, providersOf, seenAt } from "./words";

const COLUMNS: Column<Person>[] = [
  { name: "Person", order: "name", width: "minmax(0, 2.2fr)", cell: person => <span class="line"><span class="avatar" aria-hidden="true">{isAnonymous(person) ? "?" : initial(nameOf(person))}</span>
    <bdi class={`cut ${isAnonymous(person) ? "quiet-text" : ""}`}>{shown(nameOf(person), 80)}</bdi>
    {person.disabled ? <span class="chip red">disabled</span> : null}</span> },
  { name: "uid", width: "minmax(0, 1fr)", isRoomy: true, cell: person => <bdi class="mono cut">{shown(person.localId, 60)}</bdi> },
  { name: "Signs in with", width: "minmax(0, 1fr)", isRoomy: true, cell: person => providersOf(person) },
  { name: "Claims", width: "minmax(0, 1fr)", isRoomy: true, cell: person => <bdi class="mono cut">{shown(claimsOf(person), 80)}</bdi> },
  { name: "Seen", order: "seen", width: "minmax(0, 0.9fr)", cell: person => {
    const at = seenAt(person);
    return at === null ? "never" : <time title={fullMoment(at)}>{moment(at, Date.now())}</time>;
  } },
  { name: "Sessions", order: "sessions", width: "72px", isRight: true, cell: person => num(person.sessions) },
];
const FILTERS: { value: StateFilter; label: string }[] = [{ value: "", label: "All" }, { value: "session", label: "Signed in" },
  { value: "disabled", label: "Disabled" }, { value: "anonymous", label: "Anonymous" }, { value: "unverified", label: "Not verified" }];

/** The view of the accounts, their sessions, their access, and the audit records about them. */
export class PeopleView extends View<{ app: App; place: Place; database: string }, {}> {
  private readonly people = new PeopleController(this.props.app);
  private field: HTMLInputElement | null = null;

  protected stores(): Store[] {
    return [this.people, this.props.app.session, this.props.app.denials];
  }

  override componentDidMount(): void {
    super.componentDidMount();
    const { app, place } = this.props;
    app.search = () => this.field?.focus();
    this.people.search(place.asked.get("q") ?? "", (FILTERS.find(each => each.value === place.asked.get("state"))?.value ?? ""));
    const order = place.asked.get("order");
    this.people.api = this.people.api.of(tenantIn(place.asked.get("tenant")));
    if (order) this.people.sorting = { order: order.replace(/^-/, ""), isDescending: order.startsWith("-") };
    this.people.start();
    this.people.choose(place.parts[0] ?? null);
  }

  override componentDidUpdate(): void {
    this.people.belongTo(tenantIn(this.props.app.place.asked.get("tenant")));
    this.people.choose(this.props.app.place.parts[0] ?? null);
  }

  override componentWillUnmount(): void {
    super.componentWillUnmount();
    this.people.stop();
  }

  private go(parts: string[], tenant = this.people.tenant): void {
    const asked = new URLSearchParams();
    if (tenant) asked.set("tenant", tenant);
    if (this.people.query) asked.set("q", this.people.query);
    if (this.people.filter) asked.set("state", this.people.filter);
    if (this.people.sorting) asked.set("order", (this.people.sorting.isDescending ? "-" : "") + this.people.sorting.order);
    this.props.app.go("people", parts, asked);
  }

  render() {
    const { place } = this.props;
    const { people } = this;
    const uid = place.parts[0] ?? null;
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
      <div class="pane-head">{this.choice()}<Seg name="Which" value={people.filter} options={FILTERS} onChoose={(filter: StateFilter) => {
        people.search(people.query, filter);
        this.go(uid ? [uid] : []);
      }} /></div>
      <div class="people-split">
        <Table name="People" columns={COLUMNS} rows={people.list} keyOf={(person: Person) => person.localId} chosen={uid}
          sorting={people.sorting} onSort={(sorting: Sorting | null) => {
            people.sort(sorting);
            this.go(uid ? [uid] : []);
          }} onChoose={(person: Person) => this.go([person.localId])} onEnd={() => people.more()} empty={this.empty()} />
        {this.person(uid)}
      </div>
      {people.sheet ? <PeopleSheets people={people} onCreated={made => this.go([made])} /> : null}
    </main>;
  }

  /** Returns the choice of the tenant, when there are tenants. */
  private choice() {
    const { tenants, tenant } = this.people;
    if (!tenants.length && !tenant) return null;
    const ids = tenants.map(idOf);
    const options = tenant && !ids.includes(tenant) ? [tenant, ...ids] : ids;
    return <label class="field tenant-choice"><select aria-label="Whose accounts" value={tenant}
      onChange={event => this.go([], (event.target as HTMLSelectElement).value)}>
      <option value="" selected={!tenant}>The project</option>
      {options.map(id => <option value={id} selected={id === tenant}>{shown(id, 64)}</option>)}</select></label>;
  }

  private person(uid: string | null) {
    const { app, place } = this.props;
    const { one } = this.people;
    if (uid === null) return null;
    if (!one) return <aside class="person" aria-label="Person"><Waiting key={uid} what="this account" lines={[50, 70, 40]} onStop={() => this.people.stopLooking()} /></aside>;
    if ("problem" in one) {
      return <aside class="person" aria-label="Person"><div class="empty"><h2><bdi>{one.problem}</bdi></h2>
        <Button label="Back to the list" onPress={() => this.go([])} /></div>
        <div class="person-body"><Receipts people={this.people} uid={uid} /></div></aside>;
    }
    return <PersonPane app={app} people={this.people} answer={one} tab={place.parts[1] ?? ""} onClose={() => this.go([])}
      onTab={tab => this.go(tab ? [uid, tab] : [uid])} />;
  }

  private empty() {
    const { people } = this;
    if (people.problem) return <div class="empty"><h2>{people.problem}</h2><Button label="Try again" onPress={() => void people.load()} /></div>;
    if (people.isLoading) return <Waiting what="the accounts" lines={[60, 48, 66]} onStop={() => people.stopLoading()} />;
    if (people.query || people.filter) return <div class="empty"><h2>Nobody fits</h2><p>Words are looked for in mail addresses, names, uids, phone numbers and claims.</p></div>;
    return <div class="empty"><h2>Nobody is here yet</h2><p>Who signs up in an app appears here.</p>
      <div class="shell-line">hearth users create ann@example.com{people.tenant ? ` --tenant ${shown(people.tenant, 64)}` : ""}</div></div>;
  }
}
