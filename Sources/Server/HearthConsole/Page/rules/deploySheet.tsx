import { Component, h } from "preact";
import { errorText } from "../state/session";
import { plural } from "../format/text";
import { Button } from "../widgets/button";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { RulesController } from "./controller";
import { DiffView } from "./diffView";
import { ForecastSection } from "./forecastSection";

/** The dialog of a deploy: the differences, a comment, and the button. */
export class DeploySheet extends Component<{ rules: RulesController }, { note: string; problem: string | null; isBusy: boolean }> {
  override state = { note: "", problem: null, isBusy: false };

  private close(): void {
    this.props.rules.open(null);
  }

  private async submit(): Promise<void> {
    const { rules } = this.props;
    if (this.state.isBusy || rules.errors.length) return;
    this.setState({ isBusy: true, problem: null });
    try {
      if (await rules.deploy(this.state.note)) return this.close();
      this.setState({ isBusy: false, problem: "Another version came into force meanwhile. Below is what yours would change in it." });
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { rules } = this.props;
    const { note, problem, isBusy } = this.state;
    const errors = rules.errors.length;
    return <Sheet title="Deploy these rules" isWide onClose={() => this.close()} onSubmit={() => void this.submit()}
      foot={<SheetFoot note="Listens that the new rules do not allow are cut at once." label={isBusy ? "Deploying…" : "Deploy"}
        isDisabled={isBusy} reason={!isBusy && errors > 0 ? "Correct the errors first." : null} onCancel={() => this.close()} />}>
      {errors ? <div class="callout red">{errors} {plural(errors, "error")} must be mended first: line {rules.errors[0]!.line},{" "}
        {rules.errors[0]!.message}</div> : null}
      {problem ? <div class="callout red" role="alert"><span class="grow">{problem}</span>{rules.newerVersion ? <Button label="Merge" onPress={() => rules.open("merge")} /> : null}</div> : null}
      {rules.restartNote ? <div class="callout ember">{rules.restartNote}</div> : null}
      <TextField label="Note" isProse value={note} placeholder="Why" onChange={next => this.setState({ note: next })} />
      {errors ? null : <ForecastSection rules={rules} />}
      <div class="labelled"><span>What changes in version {rules.version ?? "in force"}</span>
        <DiffView before={rules.source} after={rules.text} /></div>
    </Sheet>;
  }
}
