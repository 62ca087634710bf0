import { Component, h } from "preact";
import { Icon } from "./icon";
import { IconName } from "./icons";

export interface MenuItem {
  label: string;
  icon?: IconName;
  keyCap?: string;
  isChosen?: boolean;
  isDanger?: boolean;
  reason?: string | null;
  startsGroup?: boolean;
  run: () => void;
}

interface MenuProps {
  name: string;
  items: MenuItem[];
  anchor: Element;
  onClose: () => void;
}

/** A menu below a button. */
export class Menu extends Component<MenuProps, {}> {
  private element: HTMLElement | null = null;
  private readonly outside = (event: Event) => {
    if (!this.element?.contains(event.target as globalThis.Node)) this.props.onClose();
  };

  override componentDidMount(): void {
    const box = this.props.anchor.getBoundingClientRect();
    const menu = this.element!;
    const left = Math.max(8, Math.min(box.left, innerWidth - menu.offsetWidth - 8));
    const below = box.bottom + 4;
    menu.style.left = left + "px";
    menu.style.top = (below + menu.offsetHeight > innerHeight - 8 ? Math.max(8, box.top - menu.offsetHeight - 4) : below) + "px";
    addEventListener("pointerdown", this.outside, true);
    (menu.querySelector<HTMLElement>("[aria-checked='true']") ?? menu.querySelector<HTMLElement>("button"))?.focus();
  }

  override componentWillUnmount(): void {
    removeEventListener("pointerdown", this.outside, true);
    if (this.props.anchor instanceof HTMLElement) this.props.anchor.focus();
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation();
    const all = [...this.element!.querySelectorAll("button")];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === "Escape" || event.key === "Tab") this.props.onClose();
    else if (event.key === "ArrowDown") all[(at + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length]?.focus();
    else return;
    event.preventDefault();
  }

  render() {
    const { name, items, onClose } = this.props;
    const hasChoice = items.some(item => item.isChosen !== undefined);
    const choose = (item: MenuItem) => {
      if (item.reason) return;
      onClose();
      item.run();
    };
    return <div class="menu" role="menu" aria-label={name} ref={element => (this.element = element as HTMLElement)}
      onKeyDown={event => this.key(event)}>
      {items.map(item => [
        item.startsGroup ? <hr /> : null as unknown as JSX.Element,
        <button type="button" role={hasChoice ? "menuitemradio" : "menuitem"} class={item.isDanger ? "danger" : ""}
          title={item.reason ?? undefined}
          aria-checked={hasChoice ? String(item.isChosen ?? false) : undefined} aria-disabled={item.reason ? "true" : undefined}
          aria-description={item.reason ?? undefined} onClick={() => choose(item)}>
          {item.icon ? <Icon name={item.icon} /> : null}<bdi>{item.label}</bdi>{item.isChosen ? <span class="after">
            <Icon name="check" /></span> : null}
          {item.keyCap ? <span class="after"><kbd aria-hidden="true">{item.keyCap}</kbd></span> : null}
        </button>,
      ])}
    </div>;
  }
}
