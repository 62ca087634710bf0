import { h } from "preact";
import { App } from "./app";
import { CommandBox } from "./commandBox";

export { KeysSheet } from "./keysSheet";
export { PresenceSheet } from "./presenceSheet";

export function Commands(props?: { app: App }) {
  return <CommandBox app={props!.app} />;
}
