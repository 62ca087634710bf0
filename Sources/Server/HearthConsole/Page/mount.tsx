import { h, render } from "preact";
import { App } from "./shell/app";
import { Frame } from "./shell/frame";

/** Mounts the page in an element, and opens the session. */
export function mount(place: Element): void {
  const app = new App();
  render(<Frame app={app} />, place);
  void app.start();
}
