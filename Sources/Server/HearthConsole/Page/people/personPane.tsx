import { Component, h } from "preact";
import { groupDenials, GroupedDenial, repetitionText } from "../state/groupedDenials";
import { formatCount } from "../format/number";
import { plural, displayText } from "../format/text";
import { timeOfDay, fullTime, shortTime } from "../format/time";
import { Receipt } from "../receipts/receipt";
import { ReceiptBox } from "../receipts/receiptBox";
import { App } from "../shell/app";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { Menu, MenuItem } from "../widgets/menu";
import { TextField } from "../widgets/textField";
import { AccessTab } from "./accessTab";
import { AuditRecord, PersonResponse } from "./api";
import { PeopleController } from "./controller";
import { claimsOf, tokenClaims, eventText, nameOf, problemOfClaims, providersOf } from "./personText";

interface Props {
  app: App;
  people: PeopleController;
  answer: PersonResponse;
  tab: string;
  onTab: (tab: string) => void;
  onClose: () => void;
}

const ACTIVITY = "activity";
const TABS = [{ name: ACTIVITY, label: "Activity" }, { name: "sessions", label: "Sessions" }, { name: "access", label: "Access" },
  { name: "claims", label: "Claims" }];

/** The pane of one account: its profile, activity, sessions and access. */
export class PersonPane extends Component<Props, { more: Element | null }> {
  override state: { more: Element | null } = { more: null };

  render() {
    const { app, people, answer, onTab, onClose } = this.props;
    const tab = TABS.some(each => each.name === this.props.tab) ? this.props.tab : ACTIVITY;
    const { person, sessions } = answer;
    const reason = people.readOnlyReason;
    const name = nameOf(person);
    return <aside class="person" aria-label={displayText(name, 80)}>
      <div class="person-head"><span class="avatar large" aria-hidden="true">{initial(name)}</span>
        <div class="grow"><div class="line"><h2 class="cut"><bdi>{displayText(name, 80)}</bdi></h2>
          {person.disabled ? <span class="chip red">disabled</span> : null}
          {person.email && !person.emailVerified ? <span class="chip">not verified</span> : null}</div>
          <div class="note-text"><bdi class="mono">{displayText(person.localId, 60)}</bdi> since {shortTime(Number(person.createdAt), Date.now())}, {providersOf(person)}</div></div>
        <span class="only-narrow"><Button label="Back to the list" icon="back" kind="quiet" onlyIcon onPress={onClose} /></span></div>
      <div class="person-acts">
        {person.disabled ? <Button key="enable" label="Enable" reason={reason} onPress={() => void this.attempt(() => people.applyChange(person,
          () => people.api.update({ localId: person.localId, disableUser: false }), `${name} is enabled.`))} />
          : <Button key="disable" label="Disable" reason={reason} onPress={() => people.open({ name: "disable", person })} />}
        <Button label="Sign out everywhere" reason={reason} onPress={() => people.open({ name: "signOut", person })} />
        <Button label="More" icon="more" kind="quiet" onlyIcon popup="menu" onPress={event => this.setState({ more: event.currentTarget as Element })} />
      </div>
      <nav class="view-tabs" aria-label="Of this person">{TABS.map(each => <a key={each.name} href={`#/people/${encodeURIComponent(person.localId)}/${each.name}`}
        aria-current={each.name === tab ? "page" : undefined} onClick={event => {
          event.preventDefault();
          onTab(each.name);
        }}>{each.label}{each.name === "sessions" ? ` ${formatCount(sessions.length)}` : ""}</a>)}</nav>
      <div class="person-body">
        {tab === ACTIVITY ? <Activity app={app} people={people} answer={answer} /> : null}
        {tab === "sessions" ? <Sessions answer={answer} /> : null}
        {tab === "access" ? <AccessTab key={person.localId} app={app} people={people} person={person} /> : null}
        {tab === "claims" ? <ClaimsTab key={person.localId} people={people} answer={answer} /> : null}
      </div>
      {this.state.more ? <Menu name="More" anchor={this.state.more} items={this.moreItems()} onClose={() => this.setState({ more: null })} /> : null}
    </aside>;
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.props.app.notices.showError(error);
    }
  }

  private moreItems(): MenuItem[] {
    const { app, people, answer: { person } } = this.props;
    const reason = people.readOnlyReason;
    return [
      { label: "Copy uid", icon: "copy", run: () => app.data.actions.copy(person.localId, "uid copied") },
      { label: "View data as this person", icon: "eye", run: () => {
        app.go("data");
        app.data.viewAs({ uid: person.localId, claims: tokenClaims(person, people.tenant) });
      } },
      { label: "Mail a password reset", icon: "enter", reason: reason ?? (person.email ? null : "There is no mail address."),
        run: () => void this.attempt(async () => {
          await people.api.reset(person.email!);
          app.notices.show(`A reset was mailed to ${person.email}.`);
        }) },
      { label: "Delete", icon: "trash", isDanger: true, startsGroup: true, reason, run: () => people.open({ name: "delete", person }) },
    ];
  }
}

export function initial(name: string): string {
  return [...name][0]?.toUpperCase() ?? "?";
}

type Entry = { at: number; audit?: AuditRecord; denial?: GroupedDenial; receipt?: Receipt };

/** The account's activity, denials and receipts, on one timeline. */
function Activity(props?: { app: App; people: PeopleController; answer: PersonResponse }) {
  const { app, people, answer } = props!;
  const uid = answer.person.localId;
  const entries: Entry[] = [
    ...answer.audit.map(audit => ({ at: Date.parse(audit.time), audit })),
    ...groupDenials(app.denials.list.filter(denial => denial.uid === uid && (denial.tenant ?? "") === people.tenant)).slice(0, 100)
      .map(denial => ({ at: denial.at, denial })),
    ...(people.receipts.get(uid) ?? []).map(receipt => ({ at: receipt.time, receipt })),
  ].sort((a, b) => b.at - a.at);
  return <div>
    <ReceiptWait people={people} uid={uid} />
    <ol class="timeline">{entries.map(entry => <li>{entryBody(entry, app)}
      {entry.receipt ? null : <time title={fullTime(entry.at)}>{shortTime(entry.at, Date.now())}</time>}</li>)}</ol>
    {entries.length ? null : <p class="note-text nothing">No activity yet. Sign-ins, changes of the account, refused requests and receipts appear here.</p>}
    {answer.auditIsWhole ? null : <p class="note-text nothing">Older records of the audit trail are not shown.</p>}
  </div>;
}

function ReceiptWait(props?: { people: PeopleController; uid: string }) {
  const { people, uid } = props!;
  return people.awaitedReceipt === uid ? <div class="callout" role="status">Waiting until all listeners are cancelled…</div> : <span hidden />;
}

/** The receipts of a removed account. */
export function ReceiptList(props?: { people: PeopleController; uid: string }) {
  const { people, uid } = props!;
  return <div><ReceiptWait people={people} uid={uid} />
    {(people.receipts.get(uid) ?? []).map(receipt => <div class="entry" key={String(receipt.id)}><ReceiptBox receipt={receipt} /></div>)}</div>;
}

function entryBody({ audit, denial, receipt }: Entry, app: App) {
  if (receipt) return <div class="entry grow"><span class="knot red" /><ReceiptBox receipt={receipt} /></div>;
  if (denial) {
    return <div class="entry grow"><span class="knot red" /><span>{denial.cause ? `Cut by ${denial.cause}` : `Refused: ${denial.operation}`}{" "}
      <bdi class="mono">{displayText(denial.path, 80)}</bdi>{denial.count > 1 ? `, ${repetitionText(denial)}` : ""}{" "}
      <a class="link" href={`#/rules/denial/${denial.id}`} onClick={event => {
        event.preventDefault();
        app.go("rules", ["denial", denial.id]);
      }}>why</a></span></div>;
  }
  const isEnd = /fail|disable|delete|revoke|lockout|reuse/.test(audit!.event);
  return <div class="entry grow"><span class={`knot ${isEnd ? "red" : audit!.event === "sign_in_ok" ? "green" : ""}`} /><span><b>{eventText(audit!.event)}</b>{" "}
    <bdi>{displayText([audit!.detail, audit!.ip].filter(each => each).join(", "), 200)}</bdi></span></div>;
}

function Sessions(props?: { answer: PersonResponse }) {
  const { sessions } = props!.answer;
  if (!sessions.length) return <p class="note-text nothing">No sessions. The user has to sign in.</p>;
  return <ul class="sessions">{sessions.map(session => <li><div class="line"><b class="grow"><bdi>{displayText(session.agent || "Client of unknown kind", 80)}</bdi></b>
    <time class="note-text" title={fullTime(session.used)}>used {shortTime(session.used, Date.now())}</time></div>
    <div class="note-text"><bdi>{displayText(session.address, 60)}</bdi>, by {session.provider}{session.secondFactor ? " and a second factor" : ""}, began{" "}
      {timeOfDay(session.began)}, {shortTime(session.began, Date.now())}</div></li>)}</ul>;
}

class ClaimsTab extends Component<{ people: PeopleController; answer: PersonResponse }, { text: string; problem: string | null; isBusy: boolean }> {
  override state = { text: pretty(this.props.answer.person.customAttributes), problem: null, isBusy: false };

  private async submit(event: Event): Promise<void> {
    event.preventDefault();
    const { people, answer: { person } } = this.props;
    const problem = problemOfClaims(this.state.text);
    if (problem) return this.setState({ problem });
    this.setState({ isBusy: true, problem: null });
    try {
      await people.applyChange(person, () => people.api.update({ localId: person.localId, customAttributes: JSON.stringify(JSON.parse(this.state.text)) }),
        `The claims of ${nameOf(person)} are set.`);
      this.setState({ isBusy: false });
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { people, answer: { person, sessions } } = this.props;
    const { text, problem, isBusy } = this.state;
    return <form class="claims" onSubmit={event => void this.submit(event)}>
      <TextField label="Claims, in JSON" rows={8} value={text} problem={problem} onChange={next => this.setState({ text: next, problem: null })} />
      <p class="note-text">Now: {claimsOf(person) || "none"}. Tokens carry them from the next sign-in or refresh on, within an hour
        {sessions.length ? ` (${formatCount(sessions.length)} ${plural(sessions.length, "session")} now)` : ""}; use "Sign out everywhere" to apply them at once.</p>
      <div><Button label={isBusy ? "Setting…" : "Set claims"} kind="primary" type="submit" isDisabled={isBusy} reason={people.readOnlyReason} /></div>
    </form>;
  }
}

function pretty(text: string | undefined): string {
  try {
    return JSON.stringify(JSON.parse(text || "{}"), null, 2);
  } catch {
    return text ?? "{}";
  }
}
