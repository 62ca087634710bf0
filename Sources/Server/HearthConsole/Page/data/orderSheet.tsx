import { Component, h } from "preact";
import { parsePath, problemOfKey } from "../tree/keys";
import { Sheet } from "../widgets/sheet";
import { SheetFoot } from "../widgets/sheetFoot";
import { TextField } from "../widgets/textField";

interface OrderSheetProps {
  onClose: () => void;
  onChoose: (child: string) => void;
}

/** The dialog that asks for the child path to order by, as in `orderByChild`. */
export class OrderSheet extends Component<OrderSheetProps, { text: string; problem: string | null }> {
  override state = { text: "", problem: null };

  private submit(): void {
    const parts = parsePath(this.state.text);
    const wrong = parts.map(problemOfKey).find(each => each !== null) ?? null;
    const problem = parts.length ? wrong : "Type a key, or a path below each child.";
    if (problem) return this.setState({ problem });
    this.props.onClose();
    this.props.onChoose(parts.join("/"));
  }

  render() {
    const { text, problem } = this.state;
    const { onClose } = this.props;
    return <Sheet title="Order by a child" onClose={onClose} onSubmit={() => this.submit()}
      foot={<SheetFoot note="An index in the rules makes it fast." label="Order" onCancel={onClose} />}>
      <TextField label="Child of each child" value={text} problem={problem} placeholder="ts"
        onChange={next => this.setState({ text: next, problem: null })} />
    </Sheet>;
  }
}
