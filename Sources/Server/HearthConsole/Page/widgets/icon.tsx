import { h } from "preact";
import { IconName, ICONS } from "./icons";

export function Icon(props: { name: IconName }) {
  return <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={ICONS[props.name]} /></svg>;
}

export function Logo() {
  return <svg viewBox="0 0 20 20" aria-hidden="true">
    <path class="mark-body" d="M2.5 17.500V9.2a7.5 7.5 0 0 1 15 0v8.3z" />
    <path class="mark-flame" d="M10.1 6.8c2.7 2.4 3.8 4.2 3.8 6.4v4.3H6.2v-4.3c0-1.4.6-2.4 1.5-3.3.2 1 .7 1.5 1.2 1.7-.2-1.8.1-3.4 1.2-4.8z" />
  </svg>;
}
