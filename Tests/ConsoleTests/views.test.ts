import { test } from "node:test";
import assert from "node:assert";
import { addressText, readAddress } from "../../Sources/Server/HearthConsole/Page/state/route";
import { VIEWS, viewsFor } from "../../Sources/Server/HearthConsole/Page/views";

test("each view has an address and a key of its own, and is seen by its roles", () => {
  for (const property of ["path", "key", "title"] as const) {
    assert.equal(new Set(VIEWS.map(view => view[property])).size, VIEWS.length, property);
  }
  for (const view of VIEWS) {
    assert.match(view.path, /^[a-z]+$/);
    assert.match(view.key, /^[a-z]$/);
    assert.notEqual(view.key, "g");
    assert.equal(readAddress(addressText(view.path, ["part"])).view, view.path);
    for (const role of ["administrator", "viewer"] as const) {
      assert.equal(viewsFor(role).includes(view), view.roles.includes(role));
    }
  }
});

test("the first view is for every role, and for addresses that name none", () => {
  assert.deepEqual(VIEWS.filter(view => !view.load), [VIEWS[0]]);
  assert.deepEqual(VIEWS[0]!.roles, ["administrator", "viewer"]);
  for (const address of ["", "#/", "#/nothing/there"]) assert.equal(readAddress(address).view, VIEWS[0]!.path);
});
