import { Component, h } from "preact";
import { Button } from "./button";

interface Props {
  /** The noun for the loading data: "the accounts". */
  noun: string;
  /** The widths of the placeholder lines, in percent. */
  lines: number[];
  onStop?: () => void;
}

const SLOW_MILLISECONDS = 3000;

/** A placeholder of grey lines while data loads. When it is slow it names the data, and offers to stop. */
export class LoadingPlaceholder extends Component<Props, { isSlow: boolean }> {
  override state = { isSlow: false };
  private timer: ReturnType<typeof setTimeout> | undefined;

  override componentDidMount(): void {
    this.timer = setTimeout(() => this.setState({ isSlow: true }), SLOW_MILLISECONDS);
  }

  override componentWillUnmount(): void {
    clearTimeout(this.timer);
  }

  render() {
    const { noun, lines, onStop } = this.props;
    return <div class="bones waiting" aria-busy="true">{lines.map(width => <div class="bone" style={{ width: width + "%" }} />)}
      {this.state.isSlow ? <div class="line" role="status"><span class="note-text">Waiting for {noun}…</span>
        {onStop ? <Button label="Stop" kind="quiet" onPress={onStop} /> : null}</div> : null}</div>;
  }
}
