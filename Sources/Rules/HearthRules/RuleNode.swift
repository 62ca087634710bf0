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
  /// A validate rule stands below.
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

  /// Returns the place where the rules for a child stand. A name in the file hides the wildcard.
  package func child(_ key: Key) -> RuleNode? { children[key] ?? wildcard }

  // What a decision walks along. The rule set holds all of it, so nothing is counted at each step.

  var unmanagedRead: Unmanaged<Rule>? { read.map { Unmanaged.passUnretained($0) } }
  var unmanagedWrite: Unmanaged<Rule>? { write.map { Unmanaged.passUnretained($0) } }
  var unmanagedValidate: Unmanaged<Rule>? { validate.map { Unmanaged.passUnretained($0) } }
  func unmanagedChild(_ key: Key) -> Unmanaged<RuleNode>? {
    children.find(key) ?? wildcard.map { Unmanaged.passUnretained($0) }
  }
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
  package private(set) var list: [(key: Key, node: RuleNode)]
  /// For each of the list, what its name is known by.
  private let prints: [NameFingerprint]
  /// For places with many, where in the list each stands; a few are found faster by looking at each.
  private let table: [Key: Int]

  init(_ list: [(key: Key, node: RuleNode)]) {
    self.list = list
    prints = list.map { $0.key.withUTF8 { NameFingerprint($0) } }
    let numbered = list.enumerated().map { ($0.element.key, $0.offset) }
    table = list.count > 8 ? Dictionary(numbered, uniquingKeysWith: { first, _ in first }) : [:]
  }

  /// The place of a name; nil when the file does not name it.
  package subscript(key: Key) -> RuleNode? { find(key)?.takeUnretainedValue() }

  /// The same; the list holds it.
  func find(_ key: Key) -> Unmanaged<RuleNode>? { index(of: key).map { .passUnretained(list[$0].node) } }

  private func index(of key: Key) -> Int? {
    if prints.isEmpty { return nil }
    if !table.isEmpty { return table[key] }
    let print = key.withUTF8 { NameFingerprint($0) }
    for index in prints.indices where prints[index] == print {
      if print.isWhole || Text.areEqual(list[index].key.text, key.text) { return index }
    }
    return nil
  }

  /// Returns true when both have the same names in the same order, because one was made of the other by
  /// ``replacing(_:with:)``. False says nothing.
  package func sharesNames(with other: RuleChildren) -> Bool {
    prints.withUnsafeBufferPointer { mine in
      other.prints.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress && mine.count == $0.count }
    }
  }

  /// The same names, one of them with another place; nil when the file does not name it, or nothing takes the place's
  /// stead.
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

  /// True when there is no more to the name.
  var isWhole: Bool { count <= 16 }
}
