import { h } from "preact";
import { AddSheet } from "./addSheet";
import { ViewAsSheet } from "./viewAsSheet";
import { DataController } from "./controller";
import { GoToSheet } from "./goToSheet";
import { MoveSheet } from "./moveSheet";
import { PasteSheet } from "./pasteSheet";
import { PrioritySheet } from "./prioritySheet";
import { RemoveSheet } from "./removeSheet";

/** The open dialog of the data view. */
export function Sheets(props?: { data: DataController }) {
  const { data } = props!;
  switch (data.sheet) {
    case "add": return <AddSheet data={data} />;
    case "rename": return <MoveSheet key="rename" data={data} to="key" />;
    case "move": return <MoveSheet key="move" data={data} to="path" />;
    case "remove": return <RemoveSheet data={data} />;
    case "paste": return <PasteSheet data={data} />;
    case "priority": return <PrioritySheet data={data} />;
    case "as": return <ViewAsSheet data={data} />;
    case "goto": return <GoToSheet data={data} />;
    default: return <span />;
  }
}
