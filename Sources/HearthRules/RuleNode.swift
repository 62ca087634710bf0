import HearthTree

/// One place of a rules file: the rules that stand there, and the places below it.
package final class RuleNode: Sendable {
  /// The `.read` rule that stands here.
  package let read: Rule?
  /// The `.write` rule that stands here.
  package let write: Rule?
  /// The `.validate` rule that stands here.
  package let validate: Rule?
  /// The `.indexOn` of this place.
  package let indexes: [RuleIndex]
  /// The places below that the file names.
  package let children: RuleChildren
  /// The place of every child that the file does not name.
  package let wildcard: RuleNode?
  /// A validate rule stands here or below.
  package let hasValidation: Bool

  init(
    read: Rule?, write: Rule?, validate: Rule?, indexes: [RuleIndex], children: [(key: Key, node: RuleNode)],
    wildcard: RuleNode?
  ) {
    self.read = read
    self.write = write
    self.validate = validate
    self.indexes = indexes
    self.children = RuleChildren(children)
    self.wildcard = wildcard
    hasValidation =
      validate != nil || wildcard?.hasValidation == true || children.contains { $0.node.hasValidation }
  }

  /// Where the rules for a child stand. A name in the file hides the wildcard.
  package func child(_ key: Key) -> RuleNode? { children[key] ?? wildcard }
}

extension RuleNode {
  /// The name of the last step to it, of any rule at or below it; a wildcard without rules has none that matters.
  package var name: String { name(below: 0) ?? "$key" }

  private func name(below depth: Int) -> String? {
    for rule in [read, write, validate] {
      if let rule, rule.place.count > depth { return rule.place[rule.place.count - 1 - depth] }
    }
    for (_, child) in children.list {
      if let name = child.name(below: depth + 1) { return name }
    }
    return wildcard?.name(below: depth + 1)
  }
}

/// The named places below a place.
package struct RuleChildren: Sendable {
  /// In the order of the file.
  package let list: [(key: Key, node: RuleNode)]
  /// For places with many; a few are found faster by looking at each.
  private let table: [Key: RuleNode]

  init(_ list: [(key: Key, node: RuleNode)]) {
    self.list = list
    table = list.count > 8 ? Dictionary(list.map { ($0.key, $0.node) }, uniquingKeysWith: { first, _ in first }) : [:]
  }

  /// The place of a name; nil when the file does not name it.
  package subscript(key: Key) -> RuleNode? {
    if !table.isEmpty { return table[key] }
    for entry in list where Text.areEqual(entry.key.text, key.text) { return entry.node }
    return nil
  }
}
