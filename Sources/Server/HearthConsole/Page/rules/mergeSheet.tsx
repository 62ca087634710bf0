import { Component, h } from "preact";
import { formatCount } from "../format/number";
import { plural } from "../format/text";
import { SegmentedControl } from "../widgets/segmentedControl";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { RulesController } from "./controller";
import { DiffView } from "./diffView";
import { conflictsOf, merge, mergedText, MergePart } from "./merge";

interface State {
  parts: MergePart[];
  choices: ("theirs" | "mine")[];
}

/** The dialog that merges the edit with a version that another client deployed since it began. */
export class MergeSheet extends Component<{ rules: RulesController }, State> {
  override state: State = this.initialState();

  private initialState(): State {
    const { rules } = this.props;
    const parts = merge(rules.mergeBase ?? rules.source, rules.source, rules.text);
    return { parts, choices: conflictsOf(parts).map(() => "mine") };
  }

  private close(): void {
    this.props.rules.open(null);
  }

  render() {
    const { rules } = this.props;
    const { parts, choices } = this.state;
    const conflicts = conflictsOf(parts);
    const text = mergedText(parts, choices);
    return <Sheet title={`Merge with version ${rules.version ?? "in force"}`} isWide onClose={() => this.close()} onSubmit={() => {
      rules.applyMerge(text);
      this.close();
    }} foot={<SheetFoot note="The text goes into the editor. Nothing is deployed." label="Take this text" onCancel={() => this.close()} />}>
      <p>{conflicts.length ? `${formatCount(conflicts.length)} ${plural(conflicts.length, "place")} changed in both: choose for each. Everything else is joined.`
        : "Both changed different places: all of it is joined."}</p>
      {conflicts.map((conflict, at) => <section class="merge-place" aria-label={`Place ${at + 1}`}>
        <div class="line"><h3 class="grow">Place {at + 1}</h3><SegmentedControl name={`Place ${at + 1}`} value={choices[at]!}
          onChoose={(next: "theirs" | "mine") => this.setState({ choices: choices.map((each, other) => other === at ? next : each) })}
          options={[{ value: "theirs", label: "Theirs" }, { value: "mine", label: "Mine" }]} /></div>
        <div class="sides"><Side name="Theirs" lines={conflict.theirs} isChosen={choices[at] === "theirs"} />
          <Side name="Mine" lines={conflict.mine} isChosen={choices[at] === "mine"} /></div></section>)}
      <div class="labelled"><span>What the text changes in version {rules.version ?? "in force"}</span>
        <DiffView before={rules.source} after={text} /></div>
    </Sheet>;
  }
}

function Side(props?: { name: string; lines: string[]; isChosen: boolean }) {
  const { name, lines, isChosen } = props!;
  return <div class={isChosen ? "side chosen" : "side"}><span class="note-text">{name}{isChosen ? ", taken" : ""}</span>
    <pre class="mono" tabIndex={0} aria-label={name}><bdi>{lines.length ? lines.join("\n") : "(nothing)"}</bdi></pre></div>;
}
