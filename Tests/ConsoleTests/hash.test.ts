import assert from "node:assert/strict";
import test from "node:test";
import { hashOf } from "../../Sources/Server/HearthConsole/Page/tree/hash";
import { fromExport, Json } from "../../Sources/Server/HearthConsole/Page/tree/node";

// Values from the protocol's specification.
const KNOWN: [Json, string][] = [
  [null, ""],
  ["", "Ki0Xy0V6morg0TO3Sxi/jwugYDQ="],
  [true, "E5z61QM0lN/U2WsOnusszCTkR8M="],
  [false, "aSSNoqcS4oQwJ2xxH20rvpp3zP0="],
  [0, "7ysMph9WPitGP7poMnMHMVPtUlI="],
  [-1, "dMw8oUBNk57KCeIcgAKXVS2BfB0="],
  [4.5623, "vf1CL0tIRwXXunHcG/irRECk3lY="],
  [1795223998080, "iU4Ze8zkjGv+sWfqwhp9sofeqb0="],
  ["unicode ✔ 🐵", "X/whgTb1AotIG4QdQJRUpjPLPEI="],
  [{ ".value": "primitive", ".priority": 200 }, "R9u8hs9fhRzuQ2M/3BQ0uhxz5ys="],
  [{ ".value": true, ".priority": 0 }, "I6km7S4iTXNEdCUVelqkkn9WdX4="],
  [{ foo: "bar" }, "XnLeTeWQmzTHImTbSMDLg/qMrKY="],
  [{ a: 1, e: {}, n: null }, "gIphxiFGusLh2VwSNVKSvNu90m4="],
  [{ intNode: 4, doubleNode: 4.5623, stringNode: "hey guys", boolNode: true }, "6Mc4jFmNdrLVIlJJjz2/MakTK9I="],
  [{ "1": "one", "2": "two", "10": "ten" }, "aEa7HuRrp4CAiySog3hGyyeF8qc="],
  [["one", "two"], "n3FqpUQcI8OsyNeD0bOA38vwoqw="],
  [{ b: "x", a: "y", "-5": "n", "01": "z", "1": "o" }, "19430G2/mBSL0c2x7HuKERRNtGw="],
  [{ someKey: "value", ".priority": "high" }, "/KquMIGoCuKO/ipoLoQzqnU0BcI="],
  [{ a: { ".value": 1, ".priority": 2 }, b: { ".value": 2, ".priority": 1 } }, "/3lk7Vfl5OYG6Kw2SkiPXNeExPw="],
  [{ a: { ".value": 1, ".priority": 2 }, b: 2 }, "VBGqiqnfnbb6FDSo9ahjXzMRXt0="],
];

for (const [json, hash] of KNOWN) {
  test(`the hash of ${JSON.stringify(json)}`, () => assert.equal(hashOf(fromExport(json)), hash));
}
