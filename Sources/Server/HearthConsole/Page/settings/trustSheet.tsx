import { Component, h } from "preact";
import { TrustedIssuer } from "../api/trust";
import { errorText } from "../state/session";
import { SegmentedControl } from "../widgets/segmentedControl";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";

interface State {
  kind: "firebase" | "oidc";
  id: string;
  issuer: string;
  audiences: string;
  uidPrefix: string;
  databases: string;
  problem: string | null;
  isBusy: boolean;
}

/** The dialog that asks for the settings of a trusted issuer. */
export class TrustSheet extends Component<{ onClose: () => void; add: (issuer: TrustedIssuer) => Promise<void> }, State> {
  override state: State = { kind: "firebase", id: "", issuer: "", audiences: "", uidPrefix: "", databases: "", problem: null, isBusy: false };

  private get issuer(): TrustedIssuer {
    const { kind, id, issuer, audiences, uidPrefix, databases } = this.state;
    const named = wordsOf(databases);
    return {
      ...(kind === "firebase" ? { id: id.trim() } : { issuer: issuer.trim(), audiences: wordsOf(audiences) }),
      ...(kind === "oidc" && uidPrefix ? { uidPrefix } : {}), ...(named.length ? { databases: named } : {}),
    };
  }

  private async submit(): Promise<void> {
    this.setState({ isBusy: true, problem: null });
    try {
      await this.props.add(this.issuer);
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { kind, id, issuer, audiences, uidPrefix, databases, problem, isBusy } = this.state;
    const set = (change: Partial<State>) => this.setState({ ...change, problem: null } as State);
    const isEmpty = kind === "firebase" ? !id.trim() : !issuer.trim() || !wordsOf(audiences).length;
    return <Sheet title="Trust an issuer" onClose={this.props.onClose} onSubmit={() => void this.submit()} foot={<SheetFoot label="Trust" isDisabled={isBusy}
      reason={!isBusy && isEmpty ? kind === "firebase" ? "Type a project id first." : "Type the issuer and its audiences first." : null} onCancel={this.props.onClose} />}>
      <p>Its ID tokens open databases as users. It decides which users there are, and their claims.</p>
      <SegmentedControl name="Issuer" value={kind} onChoose={(next: State["kind"]) => set({ kind: next })}
        options={[{ value: "firebase", label: "Firebase project" }, { value: "oidc", label: "OpenID Connect" }]} />
      {kind === "firebase" ? <TextField label="Project id" value={id} placeholder="my-app" onChange={next => set({ id: next })} /> : null}
      {kind === "oidc" ? <TextField label="Issuer, as in the tokens" value={issuer} placeholder="https://id.example.com" onChange={next => set({ issuer: next })} /> : null}
      {kind === "oidc" ? <TextField label="Audiences, separated by commas" value={audiences} placeholder="my-api" onChange={next => set({ audiences: next })} /> : null}
      {kind === "oidc" ? <TextField label="Prefix of uids; if empty, the issuer's host and a colon" value={uidPrefix} placeholder="ext:"
        onChange={next => set({ uidPrefix: next })} /> : null}
      <TextField label="Databases, separated by commas; if empty, all" value={databases} onChange={next => set({ databases: next })} />
      {problem ? <span class="problem" role="alert">{problem}</span> : null}</Sheet>;
  }
}

function wordsOf(text: string): string[] {
  return text.split(",").map(word => word.trim()).filter(word => word !== "");
}
