import { Component, h } from "preact";
import { bytes, num } from "../format/number";
import { plural, shown } from "../format/text";
import { textOf } from "../tree/keys";
import { sentence } from "../state/session";
import { Icon } from "../widgets/icon";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";

interface Weight {
  leaves: number;
  isExact: boolean;
  bytes: number;
  isKept: boolean;
}

interface State {
  typed: string;
  weight: Weight | null;
  problem: string | null;
  isBusy: boolean;
}

/** The dialog in which the key is typed before a large removal. */
export class RemoveSheet extends Component<{ data: DataController }, State> {
  private readonly path = this.props.data.route.path;
  override state: State = { typed: "", weight: null, problem: null, isBusy: false };

  override componentDidMount(): void {
    const { data } = this.props;
    data.edits.weigh(this.path, data.model?.valueAt(this.path) ?? null)
      .then(weight => this.setState({ weight }), error => this.setState({ problem: sentence(error) }));
  }

  private get name(): string {
    return this.path[this.path.length - 1] ?? "/";
  }

  private async submit(): Promise<void> {
    const { data } = this.props;
    const { typed, weight } = this.state;
    if (!weight || typed !== this.name) return this.setState({ problem: `Type ${this.name} to remove it.` });
    this.setState({ isBusy: true, problem: null });
    try {
      const undo = await data.edits.remove(this.path, data.model?.valueAt(this.path) ?? null, weight.isKept);
      data.open(null);
      if (undo) data.acts.offerUndo(undo);
      else data.notices.say(`Removed ${shown(this.name, 80)}`);
      data.acts.selectAround(this.path);
    } catch (error) {
      this.setState({ isBusy: false, problem: sentence(error) });
    }
  }

  render() {
    const { data } = this.props;
    const { typed, weight, problem, isBusy } = this.state;
    const close = () => data.open(null);
    const key = <span>Type <bdi class="mono">{shown(this.name, 120)}</bdi></span>;
    return <Sheet title={`Remove ${shown(textOf(this.path), 120)}`} onClose={close} onSubmit={() => void this.submit()}
      foot={<SheetFoot label={`Remove ${shown(this.name, 24)}`} isDanger isDisabled={isBusy || typed !== this.name || !weight}
        onCancel={close} />}>
      <div class="callout red"><Icon name="warning" /><span>
        {weight ? `This removes ${amount(weight)}. ${wayBack(weight)}` : "Counting…"}</span></div>
      <TextField label={key} value={typed} problem={problem} onChange={next => this.setState({ typed: next, problem: null })} />
    </Sheet>;
  }
}

function amount(weight: Weight): string {
  const name = weight.isExact ? plural(weight.leaves, "value") : plural(weight.leaves, "child", "children");
  return `${num(weight.leaves)} ${name}${weight.bytes ? ", " + bytes(weight.bytes) : ""}`;
}

function wayBack(weight: Weight): string {
  if (weight.isKept) return "Undo stands for 20 s.";
  return "It is too much to keep in the tab: there is no undo. From a shell, hearth db restore writes back what stood here before.";
}
