import { h } from "preact";
import { Icon } from "./icon";
import { IconName } from "./icons";

interface ButtonProps {
  /** Distinguishes it from its neighbours when one of them comes or goes: otherwise its element may become another button while
      it is pressed. */
  key?: string;
  label: string;
  icon?: IconName;
  /** The style: `primary`, `quiet`, `danger`. */
  kind?: string;
  /** True when the label is only the accessible name. */
  onlyIcon?: boolean;
  /** True when the label is hidden where there is little room. */
  shrinks?: boolean;
  keyCap?: string;
  /** The reason why it is disabled. It stays in its place, with the reason as its description. */
  reason?: string | null;
  isDisabled?: boolean;
  type?: "button" | "submit";
  popup?: string;
  onPress?: (event: Event) => void;
}

export function Button(props?: ButtonProps) {
  const { label, icon, kind = "", onlyIcon, shrinks, keyCap, reason, isDisabled, type = "button", popup, onPress } = props!;
  const press = (event: Event) => {
    if (reason) return event.preventDefault();
    onPress?.(event);
  };
  return <button type={type} class={`button ${kind}${onlyIcon ? " only-icon" : ""}`} disabled={isDisabled}
    aria-label={onlyIcon || shrinks ? label : undefined} aria-disabled={reason ? "true" : undefined}
    aria-description={reason ?? undefined} aria-haspopup={popup} title={reason ?? (onlyIcon ? label : undefined)} onClick={press}>
    {icon ? <Icon name={icon} /> : null}{onlyIcon ? null : <span class={shrinks ? "word" : ""}>{label}</span>}
    {keyCap ? <kbd aria-hidden="true">{keyCap}</kbd> : null}
  </button>;
}
