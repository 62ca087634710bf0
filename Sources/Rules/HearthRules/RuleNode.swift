import HearthTree

/// A place of a rules file: its rules, and the places below it.
package final class RuleNode: Sendable {
  /// The `.read` rule of this place.
  package let read: Rule?
  /// The `.write` rule of this place.
  package let write: Rule?
  /// The `.validate` rule of this place.
  package let validate: Rule?
  /// The `.indexOn` of this place.
  package let indexes: [RuleIndex]
  /// The places below that the file names.
  package let children: RuleChildren
  /// The place of every child that the file does not name.
  package let wildcard: RuleNode?
  /// True when a validate rule stands here or below.
  package let hasValidation: Bool
  /// True when a validate rule stands below.
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

  /// Returns the rules of a child; nil when it has none. A name in the file hides the wildcard.
  package func child(_ key: Key) -> RuleNode? { children[key] ?? wildcard }

  // The lists that a decision follows. The rule set holds them, so no references are counted at each step.

  var unmanagedRead: Unmanaged<Rule>? { read.map { Unmanaged.passUnretained($0) } }
  var unmanagedWrite: Unmanaged<Rule>? { write.map { Unmanaged.passUnretained($0) } }
  var unmanagedValidate: Unmanaged<Rule>? { validate.map { Unmanaged.passUnretained($0) } }
  func unmanagedChild(_ key: Key) -> Unmanaged<RuleNode>? {
    children.find(key) ?? wildcard.map { Unmanaged.passUnretained($0) }
  }
}

extension RuleNode {
  /// The name of the last step to it, taken from any rule at or below it; the name of a wildcard without rules is
  /// irrelevant.
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
  /// The children in the order of the file.
  package private(set) var list: [(key: Key, node: RuleNode)]
  /// The fingerprint of each name in the list.
  private let fingerprints: [NameFingerprint]
  /// The index of each name in the list, for places with many children; a few are found faster by comparing each.
  private let table: [Key: Int]

  init(_ list: [(key: Key, node: RuleNode)]) {
    self.list = list
    fingerprints = list.map { $0.key.withUTF8 { NameFingerprint($0) } }
    let numbered = list.enumerated().map { ($0.element.key, $0.offset) }
    table = list.count > 8 ? Dictionary(numbered, uniquingKeysWith: { first, _ in first }) : [:]
  }

  /// The place of a name; nil when the file does not name it.
  package subscript(key: Key) -> RuleNode? { find(key)?.takeUnretainedValue() }

  /// Finds the place of a name, without a reference; the list holds it.
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

  /// Returns true when both have the same names in the same order, because one was made of the other by
  /// ``replacing(_:with:)``. False leaves it open.
  package func sharesNames(with other: RuleChildren) -> Bool {
    fingerprints.withUnsafeBufferPointer { mine in
      other.fingerprints.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress && mine.count == $0.count }
    }
  }

  /// The same names, one of them with another place; nil when the file does not name it, or the replacement is nil.
  func replacing(_ key: Key, with replacement: (RuleNode) -> RuleNode?) -> RuleChildren? {
    guard let index = index(of: key), let node = replacement(list[index].node) else { return nil }
    var children = self
    children.list[index].node = node
    return children
  }
}

/// The length of a name, and the bytes of it that fit into two words: all of a short one, the ends of a long one.
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
