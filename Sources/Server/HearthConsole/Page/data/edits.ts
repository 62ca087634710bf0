import { formatBytes } from "../format/number";
import { isSamePath, Path, sharedPath, pathText } from "../tree/keys";
import { copyOf, fromExport, Json, leavesOf, Node, toExport } from "../tree/node";
import { hashOf } from "../tree/hash";
import { makePushId, timeOfPushId } from "../tree/pushId";
import type { OutlinePage } from "../api/console";
import { ProtocolClient, ProtocolError } from "../wire/protocolClient";

/** The maximum size in bytes of a subtree that the page moves, duplicates, or changes the priority of. */
export const PART_BYTES_MAXIMUM = 262_144;
/** The maximum size in bytes of a removed subtree that the page keeps in memory for undo, and of both sides of a paste. */
export const KEPT_BYTES_MAXIMUM = 5_000_000;
/** The number of values, or of children when the subtree is not loaded, above which a removal requires typing the key. A subtree
    that is not loaded also requires it above 65,536 bytes. */
export const UNCONFIRMED_LEAVES_MAXIMUM = 1000;

/** Another client wrote between the read and the write: the value was not changed. */
export class StaleError extends Error {
  constructor(readonly current: Node | null) {
    super("The value is no longer what you saw. Nothing was changed.");
  }
}

/** The undo of an edit. Fails when another client has changed the value since; the undo of a move moves the current value. */
export interface Undo {
  text: string;
  run: () => Promise<void>;
}

export interface EditHost {
  client(): ProtocolClient;
  outline(path: Path): Promise<OutlinePage>;
}

/** The page's edits. A write is compared with the value that the page has read, so that no unseen value is overwritten. Moves, and
    removals too large to undo, are not compared. */
export class Edits {
  constructor(private readonly host: EditHost) {}

  async put(path: Path, seen: Node | null, next: Json, text: string): Promise<Undo> {
    await this.compareAndPut(path, seen, next);
    const before = seen && copyOf(seen);
    // The new value is not read again, because another client may have written since; except for values that only the server can
    // compute.
    const after = holdsServerValue(next) ? await this.read(path) : fromExport(next);
    return { text, run: () => this.compareAndPut(path, after, toExport(before)) };
  }

  private async compareAndPut(path: Path, seen: Node | null, next: Json): Promise<void> {
    try {
      await this.host.client().put(path, next, hashOf(seen));
    } catch (error) {
      if (error instanceof ProtocolError && error.status === "datastale") throw new StaleError(await this.read(path));
      throw error;
    }
  }

  async read(path: Path): Promise<Node | null> {
    return fromExport(await this.host.client().get(path));
  }

  /** Returns the subtree at a path. Throws `PartTooLarge` when it has more than `limit` bytes. */
  async readPart(path: Path, limit: number): Promise<Node | null> {
    const page = await this.host.outline(path);
    if (page.bytes > limit) throw new PartTooLarge(path, page.bytes, limit);
    return this.read(path);
  }

  /** Changes the priority of a value. */
  async prioritise(path: Path, priority: string | number | null): Promise<Undo> {
    const seen = await this.readPart(path, PART_BYTES_MAXIMUM);
    if (!seen) throw new Error(`There is nothing at ${pathText(path)} any more.`);
    const next = new Node(seen.value, seen.children, priority);
    return this.put(path, seen, toExport(next), `Changed the priority of ${path[path.length - 1]}`);
  }

  async add(path: Path, value: Json): Promise<Undo> {
    try {
      return await this.put(path, null, value, `Added ${path[path.length - 1]}`);
    } catch (error) {
      if (error instanceof StaleError) throw new Error(`There is already something at ${pathText(path)}.`);
      throw error;
    }
  }

  /** Moves a value to an empty path, in one update of both. */
  async move(from: Path, to: Path): Promise<Undo> {
    const isKey = isSamePath(from.slice(0, -1), to.slice(0, -1));
    await this.moveOnce(from, to, await this.readPart(from, PART_BYTES_MAXIMUM));
    const name = isKey ? to[to.length - 1]! : pathText(to);
    return {
      text: `${isKey ? "Renamed" : "Moved"} ${from[from.length - 1]} to ${name}`,
      run: async () => this.moveOnce(to, from, await this.read(to)),
    };
  }

  private async moveOnce(from: Path, to: Path, value: Node | null): Promise<void> {
    if (!value) throw new Error(`There is nothing at ${pathText(from)} any more.`);
    const there = await this.host.outline(to);
    if (there.kind !== "null") throw new Error(`There is already something at ${pathText(to)}.`);
    const above = sharedPath(from.slice(0, -1), to.slice(0, -1));
    const update: { [path: string]: Json } = Object.create(null);
    update[from.slice(above.length).join("/")] = null;
    update[to.slice(above.length).join("/")] = toExport(value);
    await this.host.client().merge(above, update);
  }

  async duplicate(path: Path): Promise<{ undo: Undo; path: Path }> {
    const value = await this.readPart(path, PART_BYTES_MAXIMUM);
    const key = path[path.length - 1]!;
    const isPushId = timeOfPushId(key) !== null;
    for (let copy = 1; ; copy++) {
      const made = [...path.slice(0, -1), isPushId ? makePushId(Date.now()) : `${key}-copy${copy > 1 ? copy : ""}`];
      try {
        const undo = await this.put(made, null, toExport(value), `Duplicated ${key}`);
        return { undo, path: made };
      } catch (error) {
        if (!(error instanceof StaleError) || copy > 50) throw error;
      }
    }
  }

  /** Measures a subtree before its removal, and decides whether the removal needs confirmation and can be undone. */
  async measureRemoval(path: Path, loaded: Node | null): Promise<{ leaves: number; isExact: boolean; bytes: number; canUndo: boolean; needsConfirmation: boolean }> {
    if (loaded) {
      const leaves = leavesOf(loaded);
      return { leaves, isExact: true, bytes: 0, canUndo: true, needsConfirmation: leaves > UNCONFIRMED_LEAVES_MAXIMUM };
    }
    const page = await this.host.outline(path);
    const canUndo = page.bytes <= KEPT_BYTES_MAXIMUM;
    return { leaves: page.count, isExact: false, bytes: page.bytes, canUndo, needsConfirmation: page.count > UNCONFIRMED_LEAVES_MAXIMUM
      || page.bytes > 65_536 };
  }

  async remove(path: Path, loaded: Node | null, canUndo: boolean): Promise<Undo | null> {
    if (!canUndo) {
      await this.host.client().put(path, null);
      return null;
    }
    const seen = loaded ? copyOf(loaded) : await this.read(path);
    return this.put(path, seen, null, `Removed ${path[path.length - 1] ?? "everything"}`);
  }
}

/** Returns true when a value has a part that the server computes: `{".sv": …}`. */
function holdsServerValue(json: Json): boolean {
  if (json === null || typeof json !== "object") return false;
  return Object.prototype.hasOwnProperty.call(json, ".sv") || Object.values(json).some(holdsServerValue);
}

export class PartTooLarge extends Error {
  constructor(path: Path, size: number, limit: number) {
    super(`${pathText(path)} is ${formatBytes(size)}, and the page takes ${formatBytes(limit)} at most. From a shell: hearth db export ${pathText(path)}`);
  }
}
