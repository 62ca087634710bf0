import { Component, h } from "preact";
import { formatBytes, formatCount } from "../format/number";
import { plural, displayText } from "../format/text";
import { pathText } from "../tree/keys";
import { errorText } from "../state/session";
import { Icon } from "../widgets/icon";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";
import { DataController } from "./controller";

interface RemovalSize {
  leaves: number;
  isExact: boolean;
  bytes: number;
  canUndo: boolean;
}

interface State {
  typed: string;
  size: RemovalSize | null;
  problem: string | null;
  isBusy: boolean;
}

/** The dialog in which the key is typed before a large removal. */
export class RemoveSheet extends Component<{ data: DataController }, State> {
  private readonly path = this.props.data.route.path;
  override state: State = { typed: "", size: null, problem: null, isBusy: false };

  override componentDidMount(): void {
    const { data } = this.props;
    data.edits.measureRemoval(this.path, data.model?.valueAt(this.path) ?? null)
      .then(size => this.setState({ size }), error => this.setState({ problem: errorText(error) }));
  }

  private get name(): string {
    return this.path[this.path.length - 1] ?? "/";
  }

  private async submit(): Promise<void> {
    const { data } = this.props;
    const { typed, size } = this.state;
    if (!size || typed !== this.name) return this.setState({ problem: `Type ${this.name} to remove it.` });
    this.setState({ isBusy: true, problem: null });
    try {
      const undo = await data.edits.remove(this.path, data.model?.valueAt(this.path) ?? null, size.canUndo);
      data.open(null);
      if (undo) data.actions.offerUndo(undo);
      else data.notices.show(`Removed ${displayText(this.name, 80)}`);
      data.actions.selectAround(this.path);
    } catch (error) {
      this.setState({ isBusy: false, problem: errorText(error) });
    }
  }

  render() {
    const { data } = this.props;
    const { typed, size, problem, isBusy } = this.state;
    const close = () => data.open(null);
    const key = <span>Type <bdi class="mono">{displayText(this.name, 120)}</bdi></span>;
    return <Sheet title={`Remove ${displayText(pathText(this.path), 120)}`} onClose={close} onSubmit={() => void this.submit()}
      foot={<SheetFoot label={`Remove ${displayText(this.name, 24)}`} isDanger isDisabled={isBusy}
        reason={isBusy ? null : size ? typed === this.name ? null : `Type ${displayText(this.name, 40)} to enable this.` : "The values are still counted."}
        onCancel={close} />}>
      <div class="callout red"><Icon name="warning" /><span>
        {size ? `This removes ${sizeText(size)}. ${undoNote(size)}` : "Counting…"}</span></div>
      <TextField label={key} value={typed} problem={problem} onChange={next => this.setState({ typed: next, problem: null })} />
    </Sheet>;
  }
}

function sizeText(size: RemovalSize): string {
  const name = size.isExact ? plural(size.leaves, "value") : plural(size.leaves, "child", "children");
  return `${formatCount(size.leaves)} ${name}${size.bytes ? ", " + formatBytes(size.bytes) : ""}`;
}

function undoNote(size: RemovalSize): string {
  if (size.canUndo) return "Undo is offered for 20 s.";
  return "It is too large to undo here. With --history, hearth db restore writes the former value back.";
}
