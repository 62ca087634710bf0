import { Component, h } from "preact";
import { LoadingOverlay } from "./loadingOverlay";
import { Reconnecting } from "./reconnecting";

interface LazyComponentProps {
  load: () => Promise<(props: any) => JSX.Element>;
  /** The properties of the part. */
  componentProps: object;
  /** Called when the server answers, and does not have the part. */
  onFail: () => void;
  /** Closes an overlay before it is loaded. Until then, a shield has the keyboard. */
  onClose?: () => void;
  /** True for a part among others, of which a line tells that it is missing. */
  isLine?: boolean;
}

/** A part of the page that is loaded when it is first needed, or as soon as the server answers. */
export class LazyComponent extends Component<LazyComponentProps, { isReconnecting: boolean }> {
  override state = { isReconnecting: false };
  private part: ((props: any) => JSX.Element) | null = null;
  private isLoading = false;
  private isGone = false;

  override componentDidMount(): void {
    void this.load();
  }

  override componentWillUnmount(): void {
    this.isGone = true;
  }

  private async load(): Promise<void> {
    if (this.isLoading || this.isGone) return;
    this.isLoading = true;
    try {
      this.part = await this.props.load();
    } catch {
      const isAnswered = await isServerAnswering();
      this.part = isAnswered ? await this.props.load().catch(() => null) : null;
      if (!this.part && isAnswered && !this.isGone) this.props.onFail();
      if (!this.isGone) this.setState({ isReconnecting: !this.part && !isAnswered });
    }
    this.isLoading = false;
    if (this.part && !this.isGone) this.forceUpdate();
  }

  render() {
    const Part = this.part;
    if (Part) return <Part {...this.props.componentProps} />;
    const { onClose, isLine } = this.props;
    const waiting = this.state.isReconnecting ? <Reconnecting isLine={isLine || onClose !== undefined} isView retry={() => this.load()} /> : null;
    if (onClose) return <LoadingOverlay onClose={onClose}>{waiting}</LoadingOverlay>;
    if (!waiting) return <span hidden />;
    return isLine ? waiting : <main aria-label="Reconnecting">{waiting}</main>;
  }
}

/** Returns true when the server gives the page. */
async function isServerAnswering(): Promise<boolean> {
  return fetch(location.pathname, { cache: "no-store" }).then(response => response.ok, () => false);
}
