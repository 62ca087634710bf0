import HearthTree

/// One place of a rules file: the rules that stand there, and the places below it.
final class RuleNode: Sendable {
  let read: Rule?
  let write: Rule?
  let validate: Rule?
  let indexes: [RuleIndex]
  let children: RuleChildren
  let wildcard: RuleNode?
  /// A validate rule stands here or below.
  let hasValidation: Bool

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
  func child(_ key: Key) -> RuleNode? { children[key] ?? wildcard }
}

/// The named places below a place.
struct RuleChildren: Sendable {
  let list: [(key: Key, node: RuleNode)]
  /// For places with many; a few are found faster by looking at each.
  private let table: [Key: RuleNode]

  init(_ list: [(key: Key, node: RuleNode)]) {
    self.list = list
    table = list.count > 8 ? Dictionary(list.map { ($0.key, $0.node) }, uniquingKeysWith: { first, _ in first }) : [:]
  }

  subscript(key: Key) -> RuleNode? {
    if !table.isEmpty { return table[key] }
    for entry in list where Text.areEqual(entry.key.text, key.text) { return entry.node }
    return nil
  }
}
