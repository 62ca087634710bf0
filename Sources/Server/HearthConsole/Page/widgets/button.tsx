import { h } from "preact";
import { Icon } from "./icon";
import { IconName } from "./icons";

interface ButtonProps {
  label: string;
  icon?: IconName;
  /** How it looks: `primary`, `quiet`, `danger`. */
  kind?: string;
  /** The label is the name alone. */
  onlyIcon?: boolean;
  /** The label's word is not shown where there is little room. */
  shrinks?: boolean;
  keyCap?: string;
  /** Why it cannot be pressed now. It stays in its place, with the reason as its description. */
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
