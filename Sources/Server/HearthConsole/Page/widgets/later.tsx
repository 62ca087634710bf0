import { Component, h } from "preact";
import { KeyShield } from "./keyShield";

interface LaterProps {
  load: () => Promise<(props: any) => JSX.Element>;
  /** What the part is drawn with. */
  given: object;
  onFail: () => void;
  /** Of an overlay: closes it before it came. Until it comes, a shield has the keyboard. */
  onClose?: () => void;
}

/** A part of the page that comes when it is first needed. */
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
