import { Component, h } from "preact";
import { displayText } from "../format/text";
import { parsePath, problemOfKey, problemOfMove, pathText } from "../tree/keys";
import { errorText } from "../state/session";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";

interface Props {
  data: DataController;
  /** The kind of target: another key below the same parent, or another path. */
  to: "key" | "path";
}

/** The dialog that moves a value to another key or path, in one update. */
export class MoveSheet extends Component<Props, { text: string; problem: string | null; isBusy: boolean }> {
  private readonly path = this.props.data.route.path;
  private readonly key = this.path[this.path.length - 1] ?? "";
  override state = { text: this.props.to === "key" ? this.key : pathText(this.path), problem: null, isBusy: false };

  private async submit(): Promise<void> {
    const { data, to } = this.props;
    const { text } = this.state;
    const target = to === "path" ? parsePath(text) : [...this.path.slice(0, -1), text];
    const problem = (to === "key" ? problemOfKey(text) : null) ?? problemOfMove(this.path, target);
    if (problem) return this.setState({ problem });
    this.setState({ isBusy: true });
    try {
      const undo = await data.edits.move(this.path, target);
      data.open(null);
      data.actions.offerUndo(undo);
      data.go({ path: target });
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { data, to } = this.props;
    const { text, problem, isBusy } = this.state;
    const close = () => data.open(null);
    const [act, acting, field] = to === "key" ? ["Rename", "Renaming…", "New key"] : ["Move", "Moving…", "New path"];
    return <Sheet title={`${act} ${displayText(this.key, 120)}`} onClose={close} onSubmit={() => void this.submit()}
      foot={<SheetFoot note="One atomic update." label={isBusy ? acting! : act!}
        isDisabled={isBusy} onCancel={close} />}>
      <TextField label={field!} value={text} problem={problem} onChange={next => this.setState({ text: next, problem: null })} />
    </Sheet>;
  }
}
