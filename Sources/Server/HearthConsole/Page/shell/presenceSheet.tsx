import { Component, h } from "preact";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { App } from "./app";
import { errorText } from "../state/session";

/** The dialog that asks for a proof of presence before destructive actions, so that an unattended screen cannot start
    them. */
class PresenceForm extends Component<{ app: App }, { text: string; problem: string | null; isBusy: boolean }> {
  override state = { text: "", problem: null, isBusy: false };

  private async submit(): Promise<void> {
    const { app } = this.props;
    this.setState({ isBusy: true, problem: null });
    try {
      await app.session.api.provePresence(proofOf(this.state.text));
      app.presenceRequest?.(true);
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { app } = this.props;
    const { text, problem, isBusy } = this.state;
    const close = () => app.presenceRequest?.(false);
    return <Sheet title="Confirm your presence" onClose={close} onSubmit={() => void this.submit()}
      foot={<SheetFoot label={isBusy ? "Checking…" : "Confirm"} isDisabled={isBusy} reason={!isBusy && !text.trim() ? "Paste a link or a token first." : null} onCancel={close} />}>
      <p>This action needs a confirmation, because the session was opened more than 15 minutes ago. Nothing was changed yet.</p>
      <p>Print a new link on the server's machine, or sign in again, and paste the link or the ID token:</p>
      <div class="shell-line">hearth console --data data</div>
      <TextField label="Link or ID token" value={text} problem={problem} type="password" onChange={next => this.setState({ text: next, problem: null })} /></Sheet>;
  }
}

export function PresenceSheet(props?: { app: App }) {
  return <PresenceForm app={props!.app} />;
}

/** Returns the proof in a text: a link, its key, or the ID token of an account. */
export function proofOf(text: string): { key: string } | { idToken: string } {
  const shown = text.trim();
  const key = /#key=([^&\s]+)/.exec(shown)?.[1];
  if (key !== undefined) return { key };
  return shown.split(".").length === 3 ? { idToken: shown } : { key: shown };
}
