import { Component, h } from "preact";
import { Button } from "./button";

interface Props {
  /** What is waited for: "the accounts". */
  what: string;
  /** Widths of the lines that stand for what comes, in percent. */
  lines: number[];
  onStop?: () => void;
}

const SLOW_MILLISECONDS = 3000;

/** Grey lines in the shape of what comes. When it is slow it says what is waited for, and one may stop. */
export class Waiting extends Component<Props, { isSlow: boolean }> {
  override state = { isSlow: false };
  private timer: ReturnType<typeof setTimeout> | undefined;

  override componentDidMount(): void {
    this.timer = setTimeout(() => this.setState({ isSlow: true }), SLOW_MILLISECONDS);
  }

  override componentWillUnmount(): void {
    clearTimeout(this.timer);
  }

  render() {
    const { what, lines, onStop } = this.props;
    return <div class="bones waiting" aria-busy="true">{lines.map(width => <div class="bone" style={{ width: width + "%" }} />)}
      {this.state.isSlow ? <div class="line" role="status"><span class="note-text">Waiting for {what}…</span>
        {onStop ? <Button label="Stop" kind="quiet" onPress={onStop} /> : null}</div> : null}</div>;
  }
}
