import { Component, h } from "preact";
import { errorText } from "../state/session";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";

/** The dialog that asks for the name of a new object, and makes it. */
export class NameSheet extends Component<
  { title: string; label: string; text?: string; placeholder?: string; onClose: () => void; make: (name: string) => Promise<void> },
  { name: string; problem: string | null; isBusy: boolean }> {
  override state = { name: "", problem: null, isBusy: false };

  private async submit(): Promise<void> {
    this.setState({ isBusy: true, problem: null });
    try {
      await this.props.make(this.state.name);
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { title, label, text, placeholder, onClose } = this.props;
    const { name, problem, isBusy } = this.state;
    return <Sheet title={title} onClose={onClose} onSubmit={() => void this.submit()}
      foot={<SheetFoot label={isBusy ? "Creating…" : label} isDisabled={isBusy} reason={!isBusy && !name ? "Type a name first." : null} onCancel={onClose} />}>
      {text && <p>{text}</p>}
      <TextField label="Name" value={name} placeholder={placeholder} problem={problem} onChange={next => this.setState({ name: next, problem: null })} /></Sheet>;
  }
}
