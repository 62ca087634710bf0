import { pathText } from "../tree/keys";
import { IconName } from "../widgets/icons";
import { App } from "./app";
import { switchTheme } from "./theme";

export interface Command {
  label: string;
  icon: IconName;
  keyCap?: string;
  reason?: string | null;
  run: () => void;
}

/** Returns the commands that are available everywhere. */
export function commands(app: App): Command[] {
  const { data } = app;
  const reason = data.readOnlyReason;
  const { path } = data.route;
  return [
    { label: "Add below the selected node", icon: "plus", keyCap: "a", reason, run: () => data.actions.start("add") },
    { label: "Paste JSON", icon: "data", reason, run: () => data.actions.start("paste") },
    { label: "View as a user", icon: "eye", keyCap: "v", run: () => data.open("as") },
    ...(data.route.as ? [{ label: "Stop viewing as a user", icon: "eye" as const, run: () => data.viewAs(null) }] : []),
    { label: data.isPaused ? "Resume" : "Pause", icon: data.isPaused ? "play" : "pause", keyCap: "Space",
      run: () => data.pause(!data.isPaused) },
    { label: "Copy path", icon: "copy", keyCap: "c", run: () => data.actions.copy(pathText(path), "Path copied") },
    { label: "Export the selected node", icon: "download", run: () => data.actions.exportPart(path) },
    ...app.databases.filter(each => each.name !== data.database).map((each): Command => ({
      label: `Open database ${each.name}`, icon: "database", run: () => app.choose(each.name),
    })),
    // Paths lead to the data.
    ...app.views.filter(view => view.load).map((view): Command => ({
      label: `Open ${view.title}`, icon: view.icon, keyCap: `g ${view.key}`, run: () => app.go(view.path),
    })),
    { label: "Switch between light and dark", icon: "moon", run: () => { switchTheme(); app.publish(); } },
    { label: "Keys", icon: "keyboard", keyCap: "?", run: () => app.showOverlay("keys") },
    { label: "Sign out", icon: "cross", run: () => void app.signOut() },
  ];
}
