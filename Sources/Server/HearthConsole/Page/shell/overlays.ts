export { ShortcutsSheet } from "./shortcutsSheet";
export { PresenceSheet } from "./presenceSheet";
