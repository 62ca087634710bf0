/// A recorder, used while a rule is compiled, of the range of the rule's text that each site represents.
struct SiteRecorder {
  private var operations: [Range<Int32>] = []
  private var parts: [Range<Int32>] = []
  private var claims: [Int32: Int32] = [:]
  private var chains: [Int32: [ChainMark]] = [:]
  private var templates: [Int32: [TemplateMark]] = [:]
  private var implied: [Int32: [ImpliedSite]] = [:]
  private var dependent: [Int32: [Int32]] = [:]

  var map: SiteMap {
    SiteMap(
      operations: operations, parts: parts, claims: claims, chains: chains, templates: templates, implied: implied,
      dependent: dependent)
  }

  /// Records the next operation; nil when it does not represent a source expression.
  mutating func operation(_ source: TypedExpression?) { operations.append(Self.bytes(of: source)) }

  mutating func part(_ source: TypedExpression) -> Int32 {
    parts.append(Self.bytes(of: source))
    return ~Int32(parts.count - 1)
  }

  private static func bytes(of source: TypedExpression?) -> Range<Int32> {
    guard let range = source?.range else { return 0..<0 }
    return Int32(range.lowerBound)..<Int32(range.upperBound)  // a rules file has at most 1 MiB
  }

  /// Records the expressions of a chain of claims, `auth` first.
  mutating func claims(_ operation: Int32, _ prefixes: [TypedExpression]) {
    guard !prefixes.isEmpty else { return }
    claims[operation] = ~Int32(parts.count)
    for prefix in prefixes { _ = part(prefix) }
  }

  mutating func chain(_ index: Int32, _ marks: [ChainMark]) { chains[index] = marks }

  mutating func template(_ index: Int32, _ marks: [TemplateMark]) {
    if !marks.isEmpty { templates[index] = marks }
  }

  mutating func depend(_ sites: Set<Int32>, on operation: Int32) { dependent[operation] = sites.sorted(by: >) }

  mutating func imply(_ sites: [ImpliedSite], by operation: Int32) {
    if !sites.isEmpty { implied[operation] = sites }
  }
}

/// A template under construction.
struct TemplateDraft {
  private(set) var pieces: [PathTemplate.Piece] = []
  /// The marks, in the order in which they are evaluated.
  private(set) var marks: [TemplateMark] = []

  var position: TemplateMark.Position {
    if case .bytes(let bytes) = pieces.last { return TemplateMark.Position(piece: pieces.count - 1, byte: bytes.count) }
    return TemplateMark.Position(piece: pieces.count, byte: 0)
  }

  mutating func append(_ operation: Int32) { pieces.append(.operation(operation)) }

  mutating func append(_ text: String) {
    if case .bytes(let before) = pieces.last {
      pieces[pieces.count - 1] = .bytes(before + text.utf8)
    } else {
      pieces.append(.bytes(Array(text.utf8)))
    }
  }

  /// Marks the pieces from a position on as a site.
  mutating func mark(_ site: Int32, since start: TemplateMark.Position) {
    marks.append(TemplateMark(site: site, start: start, end: position))
  }

  /// The text when it is constant; nil otherwise.
  var literal: [UInt8]? {
    guard pieces.count == 1, case .bytes(let bytes) = pieces[0] else { return nil }
    return bytes
  }
}
