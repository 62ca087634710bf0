import { Component, h } from "preact";
import { plural, displayText } from "../format/text";
import { formatCount } from "../format/number";
import { errorText } from "../state/session";
import { makePushId } from "../tree/pushId";
import { Button } from "../widgets/button";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { LiveAccess, Person } from "./api";
import { AuditSheet } from "./auditSheet";
import { PeopleController } from "./controller";
import { readImport } from "./importText";
import { ReceiptsSheet } from "./receiptsSheet";
import { nameOf, problemOfClaims } from "./personText";

interface PeopleSheetsProps {
  people: PeopleController;
  onCreated: (uid: string) => void;
}

/** The open dialog of the accounts' view. */
export function PeopleSheets(props?: PeopleSheetsProps) {
  const { people, onCreated } = props!;
  const { sheet } = people;
  switch (sheet?.name) {
    case "create": return <CreateSheet people={people} onCreated={onCreated} />;
    case "import": return <ImportSheet people={people} />;
    case "receipts": return <ReceiptsSheet people={people} />;
    case "audit": return <AuditSheet people={people} />;
    case "disable": case "signOut": case "delete": return <EndAccessSheet key={sheet.name} people={people} act={sheet.name} person={sheet.person} />;
    default: return <span hidden />;
  }
}

interface CreateState {
  [field: string]: string | boolean | null;
  email: string;
  password: string;
  name: string;
  uid: string;
  claims: string;
  problem: string | null;
  isBusy: boolean;
}

class CreateSheet extends Component<{ people: PeopleController; onCreated: (uid: string) => void }, CreateState> {
  override state: CreateState = { email: "", password: "", name: "", uid: "", claims: "", problem: null, isBusy: false };

  private async submit(): Promise<void> {
    const { people, onCreated } = this.props;
    const { api } = people;
    const { email, password, name, uid, claims } = this.state;
    const wrong = claims ? problemOfClaims(claims) : null;
    if (wrong) return this.setState({ problem: wrong });
    this.setState({ isBusy: true, problem: null });
    try {
      const made = await api.create({ ...(email ? { email } : {}), ...(password ? { password } : {}), ...(uid ? { localId: uid } : {}),
        ...(name ? { displayName: name } : {}) });
      if (claims) await api.update({ localId: made.localId, customAttributes: JSON.stringify(JSON.parse(claims)) });
      // Another tenant's accounts may be shown by now.
      if (people.api !== api) return;
      people.open(null);
      await people.load();
      onCreated(made.localId);
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { people } = this.props;
    const { email, password, name, uid, claims, problem, isBusy } = this.state;
    const set = (field: string) => (text: string) => this.setState({ [field]: text, problem: null } as any);
    return <Sheet title="New person" onClose={() => people.open(null)} onSubmit={() => void this.submit()}
      foot={<SheetFoot label={isBusy ? "Creating…" : "Create"} isDisabled={isBusy} onCancel={() => people.open(null)} />}>
      <TextField label="Mail address" type="email" isProse value={email} onChange={set("email")} />
      <TextField label="Password; without one they ask for a link" type="password" value={password} onChange={set("password")} />
      <TextField label="Name" isProse value={name} onChange={set("name")} />
      <TextField label="uid; one is made if this is empty" value={uid} onChange={set("uid")} />
      <TextField label="Claims, in JSON" rows={2} value={claims} onChange={set("claims")} />
      {problem ? <span class="problem" role="alert"><bdi>{displayText(problem, 300)}</bdi></span> : null}
    </Sheet>;
  }
}

interface ImportState {
  text: string;
  problem: string | null;
  refused: { row: string; message: string }[] | null;
  imported: number;
  isBusy: boolean;
}

const BATCH = 500;

class ImportSheet extends Component<{ people: PeopleController }, ImportState> {
  override state: ImportState = { text: "", problem: null, refused: null, imported: 0, isBusy: false };

  private async submit(): Promise<void> {
    const { people } = this.props;
    const { api } = people;
    const read = readImport(this.state.text);
    if ("problem" in read) return this.setState({ problem: read.problem });
    const users = read.users.map(user => ({ localId: makePushId(Date.now()), ...user })) as { localId: string; email?: string }[];
    this.setState({ isBusy: true, problem: null });
    const refused: { row: string; message: string }[] = [];
    let imported = 0;
    try {
      for (let at = 0; at < users.length; at += BATCH) {
        const batch = users.slice(at, at + BATCH);
        const { error = [] } = await api.import(batch);
        imported += batch.length - error.length;
        for (const each of error) refused.push({ row: `${at + each.index + 1}, ${batch[each.index]?.email ?? batch[each.index]?.localId ?? ""}`, message: each.message });
        this.setState({ imported });
      }
    } catch (error) {
      this.setState({ isBusy: false, imported, problem: errorText(error) + (imported ? ` ${formatCount(imported)} were taken before.` : "") });
      return;
    }
    this.setState({ isBusy: false, refused, imported });
    await people.load();
  }

  render() {
    const { people } = this.props;
    const { text, problem, refused, imported, isBusy } = this.state;
    const close = () => people.open(null);
    if (refused) {
      return <Sheet title={`${formatCount(imported)} ${plural(imported, "person", "people")} imported`} isWide onClose={close} onSubmit={close}
        foot={<span class="line grow"><span class="grow" /><Button label="Done" kind="primary" type="submit" /></span>}>
        {refused.length ? <div><p>{formatCount(refused.length)} {plural(refused.length, "row was", "rows were")} refused:</p>
          <table class="plain"><thead><tr><th>Row</th><th>Why</th></tr></thead><tbody>{refused.slice(0, 200).map(each =>
            <tr><td><bdi>{displayText(each.row, 120)}</bdi></td><td><bdi>{displayText(each.message, 300)}</bdi></td></tr>)}</tbody></table></div>
          : <p>No row was refused.</p>}
      </Sheet>;
    }
    return <Sheet title="Import people" isWide onClose={close} onSubmit={() => void this.submit()}
      foot={<SheetFoot note="Rejected rows are shown with the reason; the others are imported." label={isBusy ? "Importing…" : "Import"}
        isDisabled={isBusy} onCancel={close} />}>
      <TextField label="JSON or CSV as firebase auth:export writes it, or lines below names: uid, email, name, phone, claims" rows={10} value={text}
        placeholder={"email,name\nann@example.com,Ann"} onChange={next => this.setState({ text: next, problem: null })} />
      {problem ? <span class="problem" role="alert"><bdi>{displayText(problem, 300)}</bdi></span> : null}
      <div class="shell-line">hearth users import people.json</div>
    </Sheet>;
  }
}

interface EndAccessProps {
  people: PeopleController;
  act: "disable" | "signOut" | "delete";
  person: Person;
}

/** The dialog that ends access; it shows the effects first. */
class EndAccessSheet extends Component<EndAccessProps, { typed: string; problem: string | null; isBusy: boolean; live: LiveAccess | null }> {
  override state = { typed: "", problem: null, isBusy: false, live: null as LiveAccess | null };

  override componentDidMount(): void {
    // Without a response the dialog shows no numbers.
    this.props.people.liveAccess(this.props.person.localId).then(live => this.setState({ live }), () => {});
  }

  private async submit(): Promise<void> {
    const { people, act, person } = this.props;
    const uid = person.localId;
    this.setState({ isBusy: true, problem: null });
    try {
      if (act === "disable") await people.applyChange(person, () => people.api.update({ localId: uid, disableUser: true }), `${nameOf(person)} is disabled.`);
      else if (act === "signOut") await people.applyChange(person, () => people.api.signOut(uid), `${nameOf(person)} is signed out everywhere.`);
      else {
        await people.applyChange(person, async () => {
          const change = await people.api.remove(uid);
          people.personRemoved(person);
          return change;
        }, `${nameOf(person)} is deleted.`);
      }
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { people, act, person } = this.props;
    const { typed, problem, isBusy, live } = this.state;
    const close = () => people.open(null);
    const name = nameOf(person);
    const verb = act === "disable" ? `Disable ${name}` : act === "delete" ? `Delete ${name}` : `Sign ${name} out everywhere`;
    const asked = person.email ?? person.localId;
    const isAsked = act === "delete";
    const sessions = `${person.sessions ? formatCount(person.sessions) : "No"} ${plural(person.sessions, "session ends", "sessions end")}, `
      + "connected clients are signed out, and listeners that the rules no longer allow are cancelled at once.";
    const now = live && (live.clients ? `${formatCount(live.clients)} ${plural(live.clients, "client")} of this database now, with `
      + `${formatCount(live.listeners)} ${plural(live.listeners, "listener")}.` : "No client of the account is connected to this database now.");
    return <Sheet title={displayText(verb, 120)} onClose={close} onSubmit={() => void this.submit()}
      foot={<SheetFoot label={isBusy ? "Working…" : displayText(verb, 60)} isDanger isDisabled={isBusy}
        reason={!isBusy && isAsked && typed !== asked ? `Type ${displayText(asked, 60)} to enable this.` : null} onCancel={close} />}>
      <p>{sessions} {now}</p>
      <p>{act === "disable" ? "Sign-ins to this account are refused until it is enabled again." : act === "delete"
        ? "This cannot be undone. Data that the user wrote stays in the database." : "The user can sign in again."}</p>
      {isAsked ? <TextField label={<span>Type <bdi class="mono">{displayText(asked, 200)}</bdi></span>} value={typed}
        onChange={next => this.setState({ typed: next })} /> : null}
      {problem ? <span class="problem" role="alert"><bdi>{displayText(problem, 300)}</bdi></span> : null}
    </Sheet>;
  }
}
