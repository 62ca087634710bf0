import assert from "node:assert/strict";
import test from "node:test";
import { Notices } from "../../Sources/Server/HearthConsole/Page/state/notices";
import { Store } from "../../Sources/Server/HearthConsole/Page/state/store";

/** Animation frames that the page has requested. */
const frames: (() => void)[] = [];
Object.assign(globalThis, { document: { hidden: false }, requestAnimationFrame: (frame: () => void) => frames.push(frame) });

test("an opened overlay is drawn before the next key, and once", () => {
  const store = new Store();
  let drawn = 0;
  store.observe(() => drawn++);
  store.publish();
  assert.equal(drawn, 0);
  store.publishNow();
  assert.equal(drawn, 1);
  frames.splice(0).forEach(frame => frame());
  assert.equal(drawn, 1);
});

test("an undo stays in sight while other notices come", t => {
  t.mock?.timers?.enable({ apis: ["setTimeout"] });
  const notices = new Notices();
  notices.showAction("Duplicated data", "Undo", () => {});
  for (const text of ["Path copied", "JSON copied", "Saved", "Path copied"]) notices.show(text);
  assert.deepEqual(notices.list.map(notice => notice.text), ["Duplicated data", "Saved", "Path copied"]);
  for (const text of ["first", "second", "third"]) notices.showAction(text, "Undo", () => {});
  assert.deepEqual(notices.list.map(notice => notice.text), ["first", "second", "third"]);
  for (const notice of notices.list) notices.close(notice.id);
});
