import { test } from "node:test";
import assert from "node:assert";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

const page = process.env.PAGE!;

/** Returns the imports of each file of the page, including types, by paths below it. */
function imports(): Map<string, string[]> {
  const files = new Map<string, string[]>();
  const visit = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (/(?<!\.d)\.tsx?$/.test(entry.name)) {
        const found = [...readFileSync(path, "utf8").matchAll(/^(?:import|export)\s[^;]*?from\s+"(\.[^"]+)"/gm)];
        files.set(bare(relative(page, path)), found.map(each => normalize(join(dirname(relative(page, path)), each[1]!))));
      }
    }
  };
  visit(page);
  return files;
}

const bare = (path: string) => path.replace(/\.tsx?$/, "");

test("no file of the page imports itself by way of others", () => {
  const files = imports();
  assert(files.size > 100);
  const done = new Set<string>();
  const visit = (file: string, way: string[]) => {
    if (way.includes(file)) assert.fail([...way.slice(way.indexOf(file)), file].join(" → "));
    if (done.has(file)) return;
    for (const next of files.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of files.keys()) visit(file, []);
});

test("no two folders of the page import each other", () => {
  const edges = new Map<string, string>();
  for (const [file, targets] of imports()) {
    for (const target of targets) {
      const [from, to] = [dirname(file), dirname(target)];
      if (from !== to && from !== "." && to !== ".") edges.set(`${from} ${to}`, `${file} imports ${target}`);
    }
  }
  for (const [edge, example] of edges) {
    const back = edges.get(edge.split(" ").reverse().join(" "));
    assert.equal(back, undefined, `${example}, and ${back}`);
  }
});
