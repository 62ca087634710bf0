import { Component, h } from "preact";
import { KeyShield } from "./keyShield";

interface LaterProps {
  load: () => Promise<(props: any) => JSX.Element>;
  /** The properties of the part. */
  given: object;
  onFail: () => void;
  /** Closes an overlay before it is loaded. Until then, a shield has the keyboard. */
  onClose?: () => void;
}

/** A part of the page that is loaded when it is first needed. */
export class Later extends Component<LaterProps, {}> {
  private part: ((props: any) => JSX.Element) | null = null;

  override componentDidMount(): void {
    this.props.load().then(part => {
      this.part = part;
      this.forceUpdate();
    }, () => this.props.onFail());
  }

  render() {
    const Part = this.part;
    if (Part) return <Part {...this.props.given} />;
    const { onClose } = this.props;
    return onClose ? <KeyShield onClose={onClose} /> : <span hidden />;
  }
}
