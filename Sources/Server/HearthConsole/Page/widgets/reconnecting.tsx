import { Component, h } from "preact";

interface Props {
  /** Tries again; called every two seconds until this is removed. */
  retry: () => void | Promise<unknown>;
  /** True for a line of text in place of a whole part of the page. */
  isLine?: boolean;
  /** True for a whole view, whose heading this is. */
  isView?: boolean;
}

export const RETRY_MILLISECONDS = 2000;

/** The contents of a part that could not be loaded because the server does not answer. It tries again by itself. */
export class Reconnecting extends Component<Props, {}> {
  private timer: ReturnType<typeof setInterval> | undefined;

  override componentDidMount(): void {
    this.timer = setInterval(() => void this.props.retry(), RETRY_MILLISECONDS);
  }

  override componentWillUnmount(): void {
    clearInterval(this.timer);
  }

  render() {
    if (this.props.isLine) return <p class="note-text nothing" role="status">Reconnecting…</p>;
    return <div class="view-body empty" role="status">{this.props.isView ? <h1>Reconnecting…</h1> : <h2>Reconnecting…</h2>}
      <p>The server does not answer. This part is loaded as soon as it does.</p></div>;
  }
}
