import { Component, h } from "preact";
import { formatCount } from "../format/number";
import { displayText } from "../format/text";
import { valueText } from "../format/value";
import { countDifferences, Difference, DifferenceCounts, differences } from "../tree/diff";
import { readInput } from "../tree/input";
import { pathText } from "../tree/keys";
import { fromExport, Json, leavesOf, Node, toExport } from "../tree/node";
import { errorText } from "../state/session";
import { SegmentedControl } from "../widgets/segmentedControl";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";
import { KEPT_BYTES_MAXIMUM } from "./edits";

const DIFFERENCES_SHOWN = 200;

const MODES = [{ value: "merge", label: "Put these beside what is there" }, { value: "replace", label: "Replace all of it" }];

interface State {
  text: string;
  mode: "merge" | "replace";
  problem: string | null;
  plan: { before: Node | null; after: Node | null; counts: DifferenceCounts; places: Difference[] } | null;
  isBusy: boolean;
}

/** The dialog that pastes JSON into a node: it shows the differences, then writes once, if the compared value is
    unchanged. */
export class PasteSheet extends Component<{ data: DataController }, State> {
  private readonly path = this.props.data.route.path;
  override state: State = { text: "", mode: "merge", problem: null, plan: null, isBusy: false };

  private change(state: Partial<State>): void {
    this.setState({ problem: null, plan: null, ...state } as State);
  }

  private async compare(): Promise<void> {
    if (this.state.text.length > KEPT_BYTES_MAXIMUM) {
      return this.setState({ problem: "This is more than 5 MB. From a shell: hearth db import." });
    }
    const input = readInput("json", this.state.text);
    if ("problem" in input) return this.setState({ problem: input.problem });
    this.setState({ isBusy: true });
    try {
      const before = await this.props.data.edits.readPart(this.path, KEPT_BYTES_MAXIMUM);
      const after = this.state.mode === "replace" ? fromExport(input.value) : merged(before, input.value);
      const places = differences(before, after, DIFFERENCES_SHOWN);
      this.setState({ isBusy: false, plan: { before, after, counts: countDifferences(before, after), places } });
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  private async write(): Promise<void> {
    const { data } = this.props;
    const plan = this.state.plan!;
    this.setState({ isBusy: true });
    try {
      const told = `Pasted into ${this.path[this.path.length - 1] ?? "/"}`;
      const undo = await data.edits.put(this.path, plan.before, toExport(plan.after), told);
      data.open(null);
      data.actions.offerUndo(undo);
    } catch (error) {
      this.setState({ isBusy: false, plan: null, problem: errorText(error) + " Compare again." });
    }
  }

  render() {
    const { data } = this.props;
    const { text, mode, problem, plan, isBusy } = this.state;
    const isNothing = plan !== null && plan.places.length === 0;
    const isReady = plan !== null && !isNothing;
    const close = () => data.open(null);
    const label = isReady ? (isBusy ? "Writing…" : "Write it") : isBusy ? "Comparing…" : "Compare";
    const note = isNothing ? "Nothing would change." : "Nothing is written before you have seen the difference.";
    return <Sheet title={`Paste JSON into ${displayText(pathText(this.path), 120)}`} isWide onClose={close}
      onSubmit={() => void (isReady ? this.write() : this.compare())}
      foot={<SheetFoot note={note} label={label} isDisabled={isBusy} onCancel={close} />}>
      <SegmentedControl name="How" value={mode} options={MODES} onChoose={next => this.change({ mode: next })} />
      <TextField label="JSON" rows={plan ? 4 : 12} placeholder={'{ "welcome": "Hello" }'} value={text} problem={problem}
        onChange={next => this.change({ text: next })} />
      {isReady ? <Counts counts={plan.counts} /> : null}
      {isReady ? <DifferenceList places={plan.places} /> : null}
    </Sheet>;
  }
}

/** Returns the node with the pasted object's children in place of those with the same keys; others stay. */
function merged(before: Node | null, json: Json): Node | null {
  const added = fromExport(json);
  if (!before?.children || !added?.children) return added;
  const children = new Map(before.children);
  for (const [key, child] of added.children) children.set(key, child);
  return new Node(null, children, added.priority ?? before.priority);
}

function Counts(props?: { counts: DifferenceCounts }) {
  const { added, changed, removed, same } = props!.counts;
  const cell = (number: number, name: string) => <div><b>{formatCount(number)}</b><span>{name}</span></div>;
  return <div class="counts">{cell(added, "added")}{cell(changed, "changed")}{cell(removed, "removed")}{cell(same, "same")}</div>;
}

function DifferenceList(props?: { places: Difference[] }) {
  const { places } = props!;
  return <div>
    <ul class="diff" tabIndex={0} aria-label="Difference">{places.map(place => <DifferenceRow place={place} />)}</ul>
    {places.length === DIFFERENCES_SHOWN ? <span class="note-text">The first {formatCount(DIFFERENCES_SHOWN)} places are shown.</span> : null}
  </div>;
}

function DifferenceRow(props?: { place: Difference }) {
  const { path, before, after } = props!.place;
  const [sign, name] = before ? (after ? ["~", "changed"] : ["−", "removed"]) : ["+", "added"];
  return <li>
    <span aria-label={name}>{sign}</span>
    <span><span class="place-text">{displayText(path.join("/") || "/", 200)} </span>
      {before ? <span class="was">{summary(before)}</span> : null}
      {before && after ? " → " : null}
      {after ? <span class="now">{summary(after)}</span> : null}</span>
  </li>;
}

function summary(node: Node): string {
  return node.children ? `${formatCount(leavesOf(node, 10_000))} values` : valueText(typeof node.value === "string"
    ? displayText(node.value, 120) : node.value!);
}
