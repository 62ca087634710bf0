export { KeysSheet } from "./keysSheet";
export { PresenceSheet } from "./presenceSheet";
