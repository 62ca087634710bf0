import { Component, h } from "preact";
import { PersonField } from "../people/personField";
import { Identity } from "../state/route";
import { Seg } from "../widgets/seg";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";

interface State {
  who: "person" | "nobody";
  uid: string;
  claims: string;
  problem: string | null;
}

const WHO = [{ value: "person", label: "Somebody signed in" }, { value: "nobody", label: "Nobody, not signed in" }];

/** The dialog that chooses the identity to view the data as. */
export class AsSheet extends Component<{ data: DataController }, State> {
  override state: State = begin(this.props.data.route.as);

  private submit(): void {
    const { data } = this.props;
    const { who, uid, claims } = this.state;
    if (who === "nobody") return data.lookAs({ nobody: true });
    if (!uid.trim()) return this.setState({ problem: "Type a uid." });
    const problem = problemOfClaims(claims);
    if (problem) return this.setState({ problem });
    data.lookAs({ uid: uid.trim(), claims: claims.trim() });
  }

  render() {
    const { data } = this.props;
    const { who, uid, claims, problem } = this.state;
    const close = () => data.open(null);
    return <Sheet title="View as" onClose={close} onSubmit={() => this.submit()}
      foot={<SheetFoot note="Rules decide what shows. Nothing can be written."
        label={who === "nobody" ? "View as nobody" : "View as"} onCancel={close} />}>
      <Seg name="Who" value={who} options={WHO} onChoose={next => this.setState({ who: next, problem: null })} />
      {who === "person" ? <PersonField label="Uid, or somebody by mail address, name or claim" api={data.session.api} value={uid}
        onType={next => this.setState({ uid: next, problem: null })}
        onChoose={person => this.setState({ uid: person.localId, claims: person.customAttributes ?? "", problem: null })} /> : null}
      {who === "person" ? <TextField label="Claims, as JSON (or none)" rows={3} placeholder={'{ "role": "editor" }'}
        value={claims} problem={problem}
        onChange={next => this.setState({ claims: next, problem: null })} /> : null}
    </Sheet>;
  }
}

function begin(as: Identity | null): State {
  if (as && "nobody" in as) return { who: "nobody", uid: "", claims: "", problem: null };
  return { who: "person", uid: as?.uid ?? "", claims: as?.claims ?? "", problem: null };
}

function problemOfClaims(text: string): string | null {
  if (!text.trim()) return null;
  try {
    const claims = JSON.parse(text);
    return claims && typeof claims === "object" && !Array.isArray(claims) ? null : "Claims are a JSON object.";
  } catch {
    return "This is not JSON.";
  }
}
