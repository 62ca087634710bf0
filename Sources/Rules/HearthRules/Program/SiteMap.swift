import HearthTree

/// The ranges of a rule's text for the values that its program computes.
///
/// A site is an operation, by its index, or a part: a sub-expression without its own operation, such as `root.child(a)`
/// in `root.child(a).exists()`, or the first of two sums that were compiled to one join. Parts have negative numbers,
/// from -1 down.
final class SiteMap: Sendable {
  /// The range of the rule's text in UTF-8 bytes for each operation; empty for an operation without its own source.
  let operations: [Range<Int32>]
  /// The range of the rule's text for each part.
  let parts: [Range<Int32>]
  /// The first part of each operation below `auth`; the parts are its prefixes `auth`, `auth.token` and so on.
  let claims: [Int32: Int32]
  /// The sub-expressions that are prefixes of each chain.
  let chains: [Int32: [ChainMark]]
  /// The sub-expressions in each template, in the order in which they are evaluated.
  let templates: [Int32: [TemplateMark]]
  /// The sites that were evaluated at compile time together with an operation.
  let implied: [Int32: [ImpliedSite]]
  /// The sites without a value when the selection of one of two snapshots fails, by the operation of the condition.
  let dependent: [Int32: [Int32]]

  init(
    operations: [Range<Int32>] = [], parts: [Range<Int32>] = [], claims: [Int32: Int32] = [:],
    chains: [Int32: [ChainMark]] = [:], templates: [Int32: [TemplateMark]] = [:],
    implied: [Int32: [ImpliedSite]] = [:], dependent: [Int32: [Int32]] = [:]
  ) {
    self.operations = operations
    self.parts = parts
    self.claims = claims
    self.chains = chains
    self.templates = templates
    self.implied = implied
    self.dependent = dependent
  }

  /// The number of sites.
  var count: Int { operations.count + parts.count }

  /// Returns a site's index among all sites: operations first, then parts.
  func index(of site: Int32) -> Int { site >= 0 ? Int(site) : operations.count + Int(~site) }

  /// Returns the range of the site with an index.
  func range(at index: Int) -> Range<Int32> {
    index < operations.count ? operations[index] : parts[index - operations.count]
  }
}

/// A prefix of a chain that is a sub-expression.
struct ChainMark: Sendable {
  /// The number of steps of the prefix.
  let stepCount: Int
  let site: Int32
}

/// One piece of a template, or several adjacent ones, that form a sub-expression.
struct TemplateMark: Sendable {
  /// A position in a template's result, between two bytes.
  struct Position: Sendable {
    let piece: Int
    /// The number of bytes of a literal piece before the position.
    let byte: Int
  }

  let site: Int32
  let start: Position
  let end: Position

  /// Returns true when the mark is complete after a piece.
  func isDone(after piece: Int) -> Bool { end.piece == piece || end.piece == piece + 1 && end.byte == 0 }
}

/// A site whose value was known when the rule was compiled.
struct ImpliedSite: Sendable {
  let site: Int32
  let value: ObservedValue
}

/// The result of a sub-expression, for an observation.
enum ObservedValue: Sendable {
  case value(Value)
  case claim(JSON)
  case snapshot(isAfter: Bool, keys: [Key], node: Node)
  case error(EvaluationError)
}

/// The outcome of a sub-expression, as it is counted.
enum ObservedOutcome: UInt8, Sendable, CaseIterable {
  case null
  case yes
  case no
  case other
  case error

  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = value ? .yes : .no
    case .number, .string, .container: self = .other
    }
  }
}

extension ObservedValue {
  var outcome: ObservedOutcome {
    switch self {
    case .value(let value): ObservedOutcome(value)
    case .claim(let claim): ObservedOutcome(Value(claim))
    case .snapshot: .other
    case .error: .error
    }
  }
}
