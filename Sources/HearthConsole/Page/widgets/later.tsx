import { Component, h } from "preact";

interface LaterProps {
  load: () => Promise<(props: any) => JSX.Element>;
  /** What the part is drawn with. */
  given: object;
  onFail: () => void;
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
    return Part ? <Part {...this.props.given} /> : <span hidden />;
  }
}
