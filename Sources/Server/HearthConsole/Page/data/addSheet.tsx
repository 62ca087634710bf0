import { Component, h } from "preact";
import { displayText } from "../format/text";
import { EditType, readInput } from "../tree/input";
import { parsePath, problemOfKey, pathText } from "../tree/keys";
import { makePushId } from "../tree/pushId";
import { errorText } from "../state/session";
import { Button } from "../widgets/button";
import { SegmentedControl } from "../widgets/segmentedControl";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";
import { ValueField } from "./valueEditor";

interface State {
  key: string;
  type: EditType;
  text: string;
  keyProblem: string | null;
  problem: string | null;
  isBusy: boolean;
}

const TYPES: { value: EditType; label: string }[] = [
  { value: "text", label: "Text" }, { value: "number", label: "Number" }, { value: "boolean", label: "Boolean" },
  { value: "json", label: "JSON" }, { value: "server", label: "Server value" },
];

/** The dialog that adds a child to the selected node, or beside a selected value. */
export class AddSheet extends Component<{ data: DataController }, State> {
  override state: State = { key: "", type: "text", text: "", keyProblem: null, problem: null, isBusy: false };

  private get above() {
    const { data } = this.props;
    const { path } = data.route;
    const value = data.model?.valueAt(path);
    return value && !value.children ? path.slice(0, -1) : path;
  }

  private async submit(): Promise<void> {
    const { data } = this.props;
    const keys = parsePath(this.state.key);
    const wrong = keys.map(problemOfKey).find(each => each !== null) ?? null;
    const keyProblem = keys.length ? wrong : problemOfKey("");
    const input = readInput(this.state.type, this.state.text);
    const problem = "problem" in input ? input.problem : null;
    this.setState({ keyProblem, problem });
    if (keyProblem || "problem" in input || this.state.isBusy) return;
    this.setState({ isBusy: true });
    const path = [...this.above, ...keys];
    try {
      const undo = await data.edits.add(path, input.value);
      data.open(null);
      data.actions.offerUndo(undo);
      data.go({ path });
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { data } = this.props;
    const { key, type, text, keyProblem, problem, isBusy } = this.state;
    const close = () => data.open(null);
    return <Sheet title={`Add below ${displayText(pathText(this.above), 120)}`} onClose={close} onSubmit={() => void this.submit()}
      foot={<SheetFoot label={isBusy ? "Adding…" : "Add"} isDisabled={isBusy} onCancel={close} />}>
      <div class="with-button">
        <TextField label="Key, or a path below" value={key} problem={keyProblem} onChange={next => this.setState({ key: next,
          keyProblem: null })} />
        <Button label="Push id" onPress={() => this.setState({ key: makePushId(Date.now()), keyProblem: null })} />
      </div>
      <div class="labelled"><span>Value</span>
        <div><SegmentedControl name="Type" value={type} options={TYPES} onChoose={(next: EditType) => this.chooseType(next)} /></div>
        <ValueField type={type} text={text} isBad={problem !== null} onChange={next => this.setState({ text: next, problem: null })} /></div>
      {problem ? <span class="problem" role="alert">{problem}</span> : null}
    </Sheet>;
  }

  private chooseType(type: EditType): void {
    const isText = this.state.type !== "boolean" && this.state.type !== "server";
    const text = type === "boolean" ? "true" : type === "server" ? "timestamp" : isText ? this.state.text : "";
    this.setState({ type, text, problem: null });
  }
}
