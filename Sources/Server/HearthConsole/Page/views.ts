import { Role } from "./api/console";
import { IconName } from "./widgets/icons";

/** A view of the console. */
interface ViewEntry<Path extends string> {
  /** The first part of its address: `#/path`. */
  path: Path;
  title: string;
  icon: IconName;
  /** The letter that opens it after `g`. */
  key: string;
  /** The list that leads to it: the rail, or the menus. */
  navigation: "rail" | "menu";
  /** The roles of sessions that may see it. The server checks each request of the view by itself. */
  roles: readonly Role[];
  /** Loads its component, which gets `app`, `address` and `database`; absent for the view that the frame includes. */
  load?: () => Promise<(props: any) => JSX.Element>;
}

const EVERY_ROLE: readonly Role[] = ["administrator", "viewer"];

/** The views in the order of the navigation. The first is shown for an address that names none. */
export const VIEWS = list(
  { path: "data", title: "Data", icon: "data", key: "d", navigation: "rail", roles: EVERY_ROLE },
  { path: "rules", title: "Rules", icon: "shield", key: "r", navigation: "rail", roles: EVERY_ROLE,
    load: () => import("./rules/rulesView").then(module => module.RulesView as any) },
  { path: "people", title: "People", icon: "people", key: "p", navigation: "rail", roles: EVERY_ROLE,
    load: () => import("./people/peopleView").then(module => module.PeopleView as any) },
  { path: "now", title: "Now", icon: "activity", key: "n", navigation: "rail", roles: EVERY_ROLE,
    load: () => import("./now/nowView").then(module => module.NowView as any) },
  { path: "settings", title: "Settings", icon: "filter", key: "s", navigation: "menu", roles: EVERY_ROLE,
    load: () => import("./settings/settingsView").then(module => module.SettingsView as any) },
);

export type ViewName = typeof VIEWS[number]["path"];
export type ConsoleView = typeof VIEWS[number];

/** Returns the views that a role may see. */
export function viewsFor(role: Role): readonly ConsoleView[] {
  return VIEWS.filter(view => view.roles.includes(role));
}

function list<Path extends string>(...views: ViewEntry<Path>[]): readonly ViewEntry<Path>[] {
  return views;
}
