import { Component, h } from "preact";
import { displayText } from "../format/text";
import { readInput } from "../tree/input";
import { Priority } from "../tree/node";
import { errorText } from "../state/session";
import { SegmentedControl } from "../widgets/segmentedControl";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";

interface State {
  type: "none" | "number" | "text";
  text: string;
  problem: string | null;
  isBusy: boolean;
}

const TYPES = [{ value: "none", label: "None" }, { value: "number", label: "Number" }, { value: "text", label: "Text" }];

/** The dialog for the priority, which is the default order of nodes. */
export class PrioritySheet extends Component<{ data: DataController }, State> {
  private readonly path = this.props.data.route.path;
  override state: State = initialState(this.props.data.model?.valueAt(this.path)?.priority ?? null);

  private async submit(): Promise<void> {
    const { data } = this.props;
    const { type, text } = this.state;
    const input = type === "none" ? { value: null } : readInput(type, text);
    if ("problem" in input) return this.setState({ problem: input.problem });
    this.setState({ isBusy: true });
    try {
      const undo = await data.edits.prioritise(this.path, input.value as Priority);
      data.open(null);
      data.actions.offerUndo(undo);
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { data } = this.props;
    const { type, text, problem, isBusy } = this.state;
    const close = () => data.open(null);
    return <Sheet title={`Priority of ${displayText(this.path[this.path.length - 1] ?? "", 120)}`} onClose={close}
      onSubmit={() => void this.submit()}
      foot={<SheetFoot note="The value stays as it is." label={isBusy ? "Saving…" : "Save"} isDisabled={isBusy} onCancel={close} />}>
      <div><SegmentedControl name="Type" value={type} options={TYPES} onChoose={next => this.setState({ type: next, problem: null })} /></div>
      {type === "none" ? null : <TextField label="Priority" value={text} problem={problem}
        inputMode={type === "number" ? "decimal" : undefined} onChange={next => this.setState({ text: next, problem: null })} />}
    </Sheet>;
  }
}

function initialState(priority: Priority): State {
  const type = priority === null ? "none" : typeof priority === "number" ? "number" : "text";
  return { type, text: String(priority ?? ""), problem: null, isBusy: false };
}
