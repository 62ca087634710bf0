import { Component, h } from "preact";
import { formatCount } from "../format/number";
import { displayText } from "../format/text";
import { fullTime } from "../format/time";
import { problemOfKey, pathText } from "../tree/keys";
import { firstPushIdAt, timeOfPushId } from "../tree/pushId";
import { SegmentedControl } from "../widgets/segmentedControl";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";

interface State {
  by: "key" | "time";
  text: string;
  problem: string | null;
}

const BY = [{ value: "time", label: "Time" }, { value: "key", label: "Key" }];

/** The dialog that scrolls a location's children to a key, or to the push ids generated at a time. */
export class GoToSheet extends Component<{ data: DataController }, State> {
  private readonly branch = this.props.data.sheetBranch ?? this.props.data.currentBranch!;
  private readonly hasTimes = this.branch.windows.some(window => window.keys.some(key => timeOfPushId(key) !== null));
  override state: State = initialState(this.hasTimes ? "time" : "key");

  private async submit(): Promise<void> {
    const { data } = this.props;
    const { by, text } = this.state;
    const time = by === "time" ? new Date(text).getTime() : 0;
    if (by === "time" && Number.isNaN(time)) return this.setState({ problem: "This is not a time." });
    const key = by === "time" ? firstPushIdAt(time) : text;
    const problem = problemOfKey(key);
    if (problem) return this.setState({ problem });
    data.open(null);
    await data.jump(this.branch, key);
  }

  private choose(by: "key" | "time"): void {
    this.setState(initialState(by));
  }

  render() {
    const { data } = this.props;
    const { by, text, problem } = this.state;
    const time = by === "time" ? new Date(text).getTime() : NaN;
    const close = () => data.open(null);
    return <Sheet title={`Go to a place in ${displayText(pathText(this.branch.path), 120)}`} onClose={close} onSubmit={() => void this.submit()}
      foot={<SheetFoot note={`${formatCount(this.branch.count)} children`} label="Go" onCancel={close} />}>
      {this.hasTimes ? <SegmentedControl name="By" value={by} options={BY} onChoose={next => this.choose(next)} /> : null}
      <TextField label={by === "time" ? "From this time" : "From this key, or the next one"} isProse={by === "time"}
        type={by === "time" ? "datetime-local" : "text"} value={text} problem={problem}
          onChange={next => this.setState({ text: next, problem: null })} />
      {Number.isNaN(time) ? null : <span class="note-text">{fullTime(time)}</span>}
    </Sheet>;
  }
}

/** Returns the initial state; the initial time is an hour ago. */
function initialState(by: "key" | "time"): State {
  return { by, text: by === "time" ? localTime(Date.now() - 3_600_000) : "", problem: null };
}

function localTime(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19);
}
