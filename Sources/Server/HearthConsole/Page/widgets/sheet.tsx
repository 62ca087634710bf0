import { Component, h } from "preact";
import { Button } from "./button";

interface SheetProps {
  title: string;
  /** The actions at the foot. */
  foot?: JSX.Element;
  isWide?: boolean;
  /** A CSS class of the dialog; `command` also hides the title bar. */
  name?: string;
  /** Closes the sheet; without it, only the actions at the foot do. */
  onClose?: () => void;
  onSubmit?: () => void;
}

const FOCUSABLE = "button:not([disabled]), input, textarea, select, a[href], [tabindex='0']";

/** A dialog over the view. It traps the focus, and restores it. */
export class Sheet extends Component<SheetProps, {}> {
  private element: HTMLElement | null = null;
  private previousFocus: Element | null = null;

  override componentDidMount(): void {
    this.previousFocus = document.activeElement;
    focusFirst(this.element!);
  }

  override componentWillUnmount(): void {
    if (this.previousFocus instanceof HTMLElement) this.previousFocus.focus();
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Escape") this.props.onClose?.();
    if (event.key !== "Tab") return;
    const all = [...this.element!.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(each => each.offsetParent !== null);
    const edge = event.shiftKey ? all[0] : all[all.length - 1];
    if (document.activeElement !== edge) return;
    event.preventDefault();
    (event.shiftKey ? all[all.length - 1] : all[0])?.focus();
  }

  render() {
    const { title, foot, isWide, name, onClose, onSubmit, children } = this.props;
    const submit = (event: Event) => {
      event.preventDefault();
      onSubmit?.();
    };
    return <div class="veil" onMouseDown={event => event.target === event.currentTarget && onClose?.()}>
      <div class={`sheet ${isWide ? "wide" : ""} ${name ?? ""}`} role="dialog" aria-modal="true" aria-label={title}
        ref={element => (this.element = element as HTMLElement)} onKeyDown={event => this.key(event)}>
        <form autocomplete="off" onSubmit={submit}>
          {name === "command" ? null : <div class="sheet-head"><h2>{title}</h2>
            {onClose ? <Button label="Close" icon="cross" kind="quiet" onlyIcon onPress={onClose} /> : null}</div>}
          <div class="sheet-body">{children}</div>
          {foot ? <div class="sheet-foot">{foot}</div> : null}
        </form>
      </div>
    </div>;
  }
}

/** Focuses the first field of a sheet, or the overlay itself when nothing in it can be focused. */
export function focusFirst(overlay: HTMLElement): void {
  const first = overlay.querySelector<HTMLElement>("[data-first]") ??
    overlay.querySelector<HTMLElement>(".sheet-body input, .sheet-body textarea, .sheet-foot .primary") ??
    overlay.querySelector<HTMLElement>(FOCUSABLE) ?? overlay;
  first.focus();
}
