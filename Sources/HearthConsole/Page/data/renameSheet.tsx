import { Component, h } from "preact";
import { shown } from "../format/text";
import { problemOfKey } from "../tree/keys";
import { sentence } from "../shell/session";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";

/** Another key for the same value, in one update. */
export class RenameSheet extends Component<{ data: DataController }, { key: string; problem: string | null; isBusy: boolean }> {
  private readonly path = this.props.data.route.path;
  override state = { key: this.path[this.path.length - 1] ?? "", problem: null, isBusy: false };

  private async submit(): Promise<void> {
    const { data } = this.props;
    const { key } = this.state;
    const old = this.path[this.path.length - 1];
    const problem = key === old ? "This is its key already." : problemOfKey(key);
    if (problem) return this.setState({ problem });
    this.setState({ isBusy: true });
    try {
      const undo = await data.edits.rename(this.path, key);
      data.open(null);
      data.acts.offerUndo(undo);
      data.go({ path: [...this.path.slice(0, -1), key] });
    } catch (error) {
      this.setState({ isBusy: false, problem: sentence(error) });
    }
  }

  render() {
    const { data } = this.props;
    const { key, problem, isBusy } = this.state;
    const close = () => data.open(null);
    return <Sheet title={`Rename ${shown(this.path[this.path.length - 1] ?? "", 120)}`} onClose={close}
      onSubmit={() => void this.submit()}
      foot={<SheetFoot note="One update: nobody sees both, or neither." label={isBusy ? "Renaming…" : "Rename"}
        isDisabled={isBusy} onCancel={close} />}>
      <TextField label="New key" value={key} problem={problem} onChange={next => this.setState({ key: next, problem: null })} />
    </Sheet>;
  }
}
