import { Component, h } from "preact";
import { saveText } from "../data/export";
import { App } from "../shell/app";
import { sentence } from "../shell/session";
import { Json } from "../tree/node";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";

/** Makes an account of a program and hands its key to the browser as a file, once: the server keeps only what checks it. */
export class ServiceAccountSheet extends Component<{ app: App; onClose: () => void; onDone: () => Promise<void> },
  { name: string; problem: string | null; isBusy: boolean }> {
  override state = { name: "", problem: null, isBusy: false };

  private async submit(): Promise<void> {
    const { app, onDone } = this.props;
    const { name } = this.state;
    this.setState({ isBusy: true, problem: null });
    try {
      const made = await app.session.api.server<{ email: string; key: Json }>("POST", "hearth/v1/serviceAccounts:create", { name });
      saveText(name, JSON.stringify(made.key, null, 2) + "\n");
      app.notices.say(`${made.email} is there. Its key was saved as a file, and is shown nowhere again.`);
      await onDone();
    } catch (error) {
      this.setState({ isBusy: false, problem: sentence(error) });
    }
  }

  render() {
    const { onClose } = this.props;
    const { name, problem, isBusy } = this.state;
    return <Sheet title="New service account" onClose={onClose} onSubmit={() => void this.submit()}
      foot={<SheetFoot label={isBusy ? "Creating…" : "Create and save its key"} isDisabled={isBusy || !name} onCancel={onClose} />}>
      <p>The key file is saved by this browser, and opens everything. Programs read it as Google's admin SDKs do. One that exists already gets a further key.</p>
      <TextField label="Name" value={name} placeholder="ci" problem={problem} onChange={next => this.setState({ name: next, problem: null })} /></Sheet>;
  }
}
