import { Component, h } from "preact";
import { PersonField } from "../people/personField";
import { Identity } from "../state/route";
import { SegmentedControl } from "../widgets/segmentedControl";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";

interface State {
  who: "person" | "signedOut";
  uid: string;
  claims: string;
  problem: string | null;
}

const WHO = [{ value: "person", label: "Signed-in user" }, { value: "signedOut", label: "Signed-out client" }];

/** The dialog that chooses the identity to view the data as. */
export class ViewAsSheet extends Component<{ data: DataController }, State> {
  override state: State = initialState(this.props.data.route.as);

  private submit(): void {
    const { data } = this.props;
    const { who, uid, claims } = this.state;
    if (who === "signedOut") return data.viewAs({ isSignedOut: true });
    if (!uid.trim()) return this.setState({ problem: "Type a uid." });
    const problem = problemOfClaims(claims);
    if (problem) return this.setState({ problem });
    data.viewAs({ uid: uid.trim(), claims: claims.trim() });
  }

  render() {
    const { data } = this.props;
    const { who, uid, claims, problem } = this.state;
    const close = () => data.open(null);
    return <Sheet title="View as" onClose={close} onSubmit={() => this.submit()}
      foot={<SheetFoot note="Rules decide what is shown. Nothing can be written."
        label={who === "signedOut" ? "View signed out" : "View as"} onCancel={close} />}>
      <SegmentedControl name="Who" value={who} options={WHO} onChoose={next => this.setState({ who: next, problem: null })} />
      {who === "person" ? <PersonField label="uid, mail address, name or claim" api={data.session.api} value={uid}
        onType={next => this.setState({ uid: next, problem: null })}
        onChoose={person => this.setState({ uid: person.localId, claims: person.customAttributes ?? "", problem: null })} /> : null}
      {who === "person" ? <TextField label="Claims, as JSON (or none)" rows={3} placeholder={'{ "role": "editor" }'}
        value={claims} problem={problem}
        onChange={next => this.setState({ claims: next, problem: null })} /> : null}
    </Sheet>;
  }
}

function initialState(as: Identity | null): State {
  if (as && "isSignedOut" in as) return { who: "signedOut", uid: "", claims: "", problem: null };
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
