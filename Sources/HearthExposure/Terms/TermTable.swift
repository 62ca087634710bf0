import HearthRules
import HearthTree

/// The terms, places and patterns of one question, each once: equal numbers are equal terms.
///
/// A class, because everything that takes part in a question adds to the one table. Not for two threads at once.
final class TermTable {
  let claims: ClaimTypes
  /// No request is earlier.
  let nowMilliseconds: Int64
  /// None outside of tests.
  let faults: ExposureFaults
  private(set) var terms: [Term] = []
  private(set) var places: [Place] = []
  private(set) var scopes: [Scope] = []
  private(set) var wildcards: [Wildcard] = []
  private(set) var patterns: [TextPattern] = []
  private var numbers: [Term: TermID] = [:]
  private var placeNumbers: [Step: PlaceID] = [:]
  private var patternNumbers: [String: Int] = [:]

  private struct Step: Hashable {
    var parent: PlaceID?
    var segment: Segment
  }

  static let null: TermID = 0
  static let no: TermID = 1
  static let yes: TermID = 2
  /// The place that holds the whole tree.
  static let root: PlaceID = 0
  /// A place that is never there: its key is the empty text.
  let nowhere: PlaceID

  init(claims: ClaimTypes, nowMilliseconds: Int64, faults: ExposureFaults = []) {
    self.claims = claims
    self.faults = faults
    self.nowMilliseconds = nowMilliseconds
    terms = [.null, .bool(false), .bool(true), .text("")]
    places = [Place(parent: nil, segments: [])]
    nowhere = 1
    for (index, term) in terms.enumerated() { numbers[term] = index }
    _ = place(Self.root, .key(3))
  }

  // MARK: Terms

  subscript(term: TermID) -> Term { terms[term] }

  func intern(_ term: Term) -> TermID {
    if let known = numbers[term] { return known }
    switch term {
    case .claim(let names):
      let canonical = claims.canonical(names)
      if canonical != names { return intern(.claim(canonical)) }
      if claims.types(names) == .null { return Self.null }
    case .number(let value) where value == 0 && value.sign == .minus: return intern(.number(0))
    case .joined(let parts):
      let joined = join(parts)
      if joined != term { return intern(joined) }
    default: break
    }
    numbers[term] = terms.count
    terms.append(term)
    return terms.count - 1
  }

  func text(_ text: String) -> TermID { intern(.text(Key(text))) }

  /// The constant of a value; nil for a container and for NaN, which are equal to nothing.
  func constant(_ value: Value) -> TermID? {
    switch value {
    case .null: Self.null
    case .bool(let value): value ? Self.yes : Self.no
    case .number(let value): value.isNaN ? nil : intern(.number(value))
    case .string(let text): self.text(text)
    case .container: nil
    }
  }

  /// Parts side by side: sums inside sums dissolved, constants beside constants as one, empty texts left out.
  private func join(_ parts: [TermID]) -> Term {
    var result: [TermID] = []
    var literal = ""
    func flush() {
      if !literal.isEmpty { result.append(text(literal)) }
      literal = ""
    }
    for part in parts {
      switch terms[part] {
      case .text(let text): literal += text.text
      case .number(let value): literal += NumberText.of(value)
      case .joined(let inner):
        for part in inner {
          if case .text(let text) = terms[part] {
            literal += text.text
          } else {
            flush()
            result.append(part)
          }
        }
      default:
        flush()
        result.append(part)
      }
    }
    if result.isEmpty { return .text(Key(literal)) }
    flush()
    if result.count == 1, case .wildcard = terms[result[0]] { return terms[result[0]] }
    return .joined(result)
  }

  func addWildcard(_ name: String, excluding excluded: [String]) -> TermID {
    wildcards.append(Wildcard(name: name, excluded: excluded))
    return intern(.wildcard(wildcards.count - 1))
  }

  /// The types that a term can have whatever the request.
  func types(_ term: TermID) -> TypeSet {
    switch terms[term] {
    case .null: .null
    case .bool: .bool
    case .number, .now, .length, .arithmetic, .negative: .number
    case .text, .wildcard, .joined, .lowercase, .uppercase, .replaced: .text
    case .claim(let names): claims.types(names)
    case .computedClaim, .claimLength: .any
    case .query(let field): Self.types(field)
    case .value: .any
    case .priority: [.null, .number, .text]
    }
  }

  private static func types(_ field: QueryField) -> TypeSet {
    switch field {
    case .orderByKey, .orderByValue, .orderByPriority: .bool
    case .orderByChild: [.null, .text]
    case .limitToFirst, .limitToLast: [.null, .number]
    case .startAt, .endAt, .equalTo: [.null, .bool, .number, .text]
    }
  }

  func pattern(_ pattern: TextPattern) -> Int {
    let name =
      switch pattern {
      case .regex(let regex): (regex.ignoresCase ? "i" : "m") + regex.body
      case .contains(let part): "c" + part
      case .begins(let part): "b" + part
      case .ends(let part): "e" + part
      }
    // Names that only differ in Unicode form would be one here; they are told apart by their bytes.
    let key = String(decoding: Array(name.utf8).flatMap { [$0 >> 4 | 0x40, $0 & 15 | 0x40] }, as: UTF8.self)
    if let known = patternNumbers[key] { return known }
    patterns.append(pattern)
    patternNumbers[key] = patterns.count - 1
    return patterns.count - 1
  }

  // MARK: Places

  func place(_ parent: PlaceID?, _ segment: Segment) -> PlaceID {
    let step = Step(parent: parent, segment: segment)
    if let known = placeNumbers[step] { return known }
    places.append(Place(parent: parent, segments: (parent.map { places[$0].segments } ?? []) + [segment]))
    placeNumbers[step] = places.count - 1
    return places.count - 1
  }

  func place(_ keys: [TermID]) -> PlaceID { keys.reduce(Self.root) { place($0, .key($1)) } }

  func addScope(_ keys: [TermID]) -> ScopeID {
    scopes.append(Scope(place: place(keys), keys: keys))
    return scopes.count - 1
  }

  /// Where `child(text)` leads from a place.
  func child(_ place: PlaceID, _ text: TermID) -> PlaceID {
    guard let segments = segments(text) else { return self.place(place, .whole(text)) }
    guard !segments.isEmpty else { return self.place(place, .key(self.text(""))) }
    return segments.reduce(place) { self.place($0, $1) }
  }

  /// The steps of a path; nil when it may have no key at all, and is not known.
  ///
  /// Literal slashes part it. Between them one wildcard is one key; anything else may hold slashes of its own.
  private func segments(_ text: TermID) -> [Segment]? {
    switch terms[text] {
    case .text(let text): return Path(text.text).keys.map { .key(intern(.text($0))) }
    case .wildcard: return [.key(text)]
    case .claim where faults.contains(.uidIsOneKey): return [.key(text)]
    case .joined(let parts): return segments(parts)
    default: return nil
    }
  }

  private func segments(_ parts: [TermID]) -> [Segment]? {
    var result: [Segment] = []
    var pieces: [TermID] = []
    var hasKey = false
    func flush() {
      guard !pieces.isEmpty else { return }
      let term = intern(.joined(pieces))
      switch terms[term] {
      case .text, .wildcard:
        result.append(.key(term))
        hasKey = true
      default: result.append(.part(term))
      }
      pieces = []
    }
    for part in parts {
      guard case .text(let text) = terms[part] else {
        pieces.append(part)
        continue
      }
      let between = text.text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      for (index, piece) in between.enumerated() {
        if index > 0 { flush() }
        if !piece.isEmpty { pieces.append(self.text(String(Substring(piece)))) }
      }
    }
    flush()
    return hasKey ? result : nil
  }

  /// Where `parent()` leads; nil at the root.
  func parent(_ place: PlaceID) -> PlaceID? {
    if place == Self.root { return nil }
    guard case .key = places[place].segments.last else { return self.place(nil, .above(place)) }
    return places[place].parent
  }
}
