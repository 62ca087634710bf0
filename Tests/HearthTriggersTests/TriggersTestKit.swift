import HearthTree
import HearthTriggers

/// Returns the tree of a JSON text; lists are objects with the keys 0, 1, 2, …
func tree(_ text: String) -> Node {
  func node(_ json: JSON) -> Node {
    switch json {
    case .null: .empty
    case .bool(let value): Node(.bool(value))
    case .int(let value): Node(.int(value))
    case .double(let value): Node(.double(value))
    case .string(let value): Node(.string(value))
    case .array(let elements):
      elements.enumerated().reduce(Node.empty) { $0.replacing(Key("\($1.offset)"), with: node($1.element)) }
    case .object(let members): members.reduce(Node.empty) { $0.replacing(Key($1.name), with: node($1.value)) }
    }
  }
  return JSON(parsing: text.utf8).map(node) ?? .empty
}

/// Returns a commit that writes values to paths.
func change(
  _ before: Node, _ writes: [(path: String, value: String)], author: EventAuthor = .administrator
) -> WrittenChange {
  let after = writes.reduce(before) { $0.replacing(Path($1.path), with: tree($1.value)) }
  return WrittenChange(
    position: 7, milliseconds: 1_795_329_000_123, paths: writes.map { Path($0.path) }, oldRoot: before, newRoot: after,
    author: author)
}

/// Returns the triggers `W` (written), `C` (created), `U` (updated) and `D` (deleted) on one pattern.
func members(_ pattern: String) throws -> [TriggerSet.Member] {
  let pattern = try TriggerPattern(pattern)
  return [("W", TriggerEventType.write), ("C", .create), ("U", .update), ("D", .delete)].map { name, eventType in
    TriggerSet.Member(name: name, pattern: pattern, kinds: eventType.kinds, wantsValues: false)
  }
}

/// Returns the events as text, ordered by location: `m1:WU m2:WD`.
func summary(_ set: TriggerSet, _ change: WrittenChange) -> String {
  var found: [String: String] = [:]
  for (trigger, event) in set.events(of: change).events { found[event.ref, default: ""] += trigger }
  return found.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { "\($0):\($1)" }.joined(
    separator: " ")
}

/// Returns the delta of an event with the given values before and after.
func payload(_ before: String, _ after: String) throws -> String {
  let set = TriggerSet(try members("/p"))
  let change = change(tree("{\"p\":\(before)}"), [("p", after)])
  guard case .text(let text)? = set.events(of: change).events.first?.event.payload else { return "no event" }
  return String(decoding: text, as: UTF8.self)
}
