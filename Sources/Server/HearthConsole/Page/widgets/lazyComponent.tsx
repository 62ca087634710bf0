import { Component, h } from "preact";
import { LoadingOverlay } from "./loadingOverlay";

interface LazyComponentProps {
  load: () => Promise<(props: any) => JSX.Element>;
  /** The properties of the part. */
  componentProps: object;
  onFail: () => void;
  /** Closes an overlay before it is loaded. Until then, a shield has the keyboard. */
  onClose?: () => void;
}

/** A part of the page that is loaded when it is first needed. */
export class LazyComponent extends Component<LazyComponentProps, {}> {
  private part: ((props: any) => JSX.Element) | null = null;

  override componentDidMount(): void {
    this.props.load().then(part => {
      this.part = part;
      this.forceUpdate();
    }, () => this.props.onFail());
  }

  render() {
    const Part = this.part;
    if (Part) return <Part {...this.props.componentProps} />;
    const { onClose } = this.props;
    return onClose ? <LoadingOverlay onClose={onClose} /> : <span hidden />;
  }
}
