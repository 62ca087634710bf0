import { Component, h } from "preact";
import { focusFirst } from "./sheet";

/** An invisible layer in place of an overlay whose module is still loading: it takes the keys that the view behind
    would get. */
export class LoadingOverlay extends Component<{ onClose: () => void }, {}> {
  private before: Element | null = null;

  override componentDidMount(): void {
    this.before = document.activeElement;
    this.base.focus();
  }

  override componentWillUnmount(): void {
    if (this.before instanceof HTMLElement) this.before.focus();
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation();
    event.preventDefault();
    if (event.key === "Escape") this.props.onClose();
  }

  render() {
    return <div class="veil" role="dialog" aria-modal="true" aria-busy="true" aria-label="Loading" tabIndex={-1}
      onMouseDown={() => this.props.onClose()} onKeyDown={event => this.key(event)}>
      {this.props.children?.[0] ? <div class="sheet"><div class="sheet-body">{this.props.children}</div></div> : null}</div>;
  }
}

/** Stops a key outside of the topmost overlay, and gives the overlay the focus. */
export function guardOverlay(event: KeyboardEvent): void {
  const overlays = document.querySelectorAll<HTMLElement>(".veil");
  const top = overlays[overlays.length - 1];
  const target = event.target instanceof Element ? event.target : null;
  if (!top || top.contains(target) || target?.closest(".menu, .toasts")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  focusFirst(top);
}
