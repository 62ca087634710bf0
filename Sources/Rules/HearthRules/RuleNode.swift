import HearthTree

/// A node of a rules file: its rules, and the nodes below it.
package final class RuleNode: Sendable {
  /// The `.read` rule of this node.
  package let read: Rule?
  /// The `.write` rule of this node.
  package let write: Rule?
  /// The `.validate` rule of this node.
  package let validate: Rule?
  /// The `.indexOn` of this node.
  package let indexes: [RuleIndex]
  /// The child nodes that the file names.
  package let children: RuleChildren
  /// The node for every child that the file does not name, `$key`; nil when there is none.
  package let wildcard: RuleNode?
  /// True when there is a validate rule at this node or below.
  package let hasValidation: Bool
  /// True when there is a validate rule below this node.
  let hasValidationBelow: Bool

  init(
    read: Rule?, write: Rule?, validate: Rule?, indexes: [RuleIndex], children: RuleChildren, wildcard: RuleNode?
  ) {
    self.read = read
    self.write = write
    self.validate = validate
    self.indexes = indexes
    self.children = children
    self.wildcard = wildcard
    hasValidationBelow = wildcard?.hasValidation == true || children.list.contains { $0.node.hasValidation }
    hasValidation = validate != nil || hasValidationBelow
  }

  /// Returns the rules of a child; nil when it has none. When the file names the child, the wildcard does not apply to
  /// it.
  package func child(_ key: Key) -> RuleNode? { children[key] ?? wildcard }

  // Unmanaged references for decisions. The rule set keeps the objects alive, so no references are counted at each
  // step.

  var unmanagedRead: Unmanaged<Rule>? { read.map { Unmanaged.passUnretained($0) } }
  var unmanagedWrite: Unmanaged<Rule>? { write.map { Unmanaged.passUnretained($0) } }
  var unmanagedValidate: Unmanaged<Rule>? { validate.map { Unmanaged.passUnretained($0) } }
  func unmanagedChild(_ key: Key) -> Unmanaged<RuleNode>? {
    children.find(key) ?? wildcard.map { Unmanaged.passUnretained($0) }
  }
}

extension RuleNode {
  /// The last name of its place, from any rule at or below it; `$key` for a wildcard without rules, whose name does not
  /// matter.
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

/// The named children of a node.
package struct RuleChildren: Sendable {
  /// The children in the order of the file.
  package private(set) var list: [(key: Key, node: RuleNode)]
  /// The fingerprint of each name in the list.
  private let fingerprints: [NameFingerprint]
  /// The index of each name in the list, for nodes with many children; a few are found faster by comparing each one.
  private let table: [Key: Int]

  init(_ list: [(key: Key, node: RuleNode)]) {
    self.list = list
    fingerprints = list.map { $0.key.withUTF8 { NameFingerprint($0) } }
    let numbered = list.enumerated().map { ($0.element.key, $0.offset) }
    table = list.count > 8 ? Dictionary(numbered, uniquingKeysWith: { first, _ in first }) : [:]
  }

  /// The node of a name; nil when the file does not name it.
  package subscript(key: Key) -> RuleNode? { find(key)?.takeUnretainedValue() }

  /// Returns the node of a name as an unmanaged reference; the list keeps it alive.
  func find(_ key: Key) -> Unmanaged<RuleNode>? { index(of: key).map { .passUnretained(list[$0].node) } }

  private func index(of key: Key) -> Int? {
    if fingerprints.isEmpty { return nil }
    if !table.isEmpty { return table[key] }
    let print = key.withUTF8 { NameFingerprint($0) }
    for index in fingerprints.indices where fingerprints[index] == print {
      if print.isWhole || Text.areEqual(list[index].key.text, key.text) { return index }
    }
    return nil
  }

  /// Returns true when both have the same names in the same order, because one was created from the other by
  /// ``replacing(_:with:)``. When it returns false, the names may still be the same.
  package func sharesNames(with other: RuleChildren) -> Bool {
    fingerprints.withUnsafeBufferPointer { mine in
      other.fingerprints.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress && mine.count == $0.count }
    }
  }

  /// Returns the children with the node of one name replaced; nil when the name does not exist, or the replacement is
  /// nil.
  func replacing(_ key: Key, with replacement: (RuleNode) -> RuleNode?) -> RuleChildren? {
    guard let index = index(of: key), let node = replacement(list[index].node) else { return nil }
    var children = self
    children.list[index].node = node
    return children
  }
}

/// The length of a name, and those of its bytes that fit into two words: all bytes of a short name, the first and last
/// ones of a long name.
struct NameFingerprint: Equatable {
  private let count: Int
  private let first: UInt64
  private let last: UInt64

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    count = bytes.count
    switch count {
    case 8...:
      first = bytes.loadUnaligned(as: UInt64.self)
      last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    case 4...:
      first = UInt64(bytes.loadUnaligned(as: UInt32.self))
      last = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    case 1...:
      first = UInt64(bytes[0]) | UInt64(bytes[count >> 1]) << 8
      last = UInt64(bytes[count - 1])
    default: (first, last) = (0, 0)
    }
  }

  /// True when the fingerprint contains the whole name.
  var isWhole: Bool { count <= 16 }
}
