import HearthRules
import HearthTree

/// The terms, places and patterns of one question. Each is stored once, so equal numbers mean equal terms.
///
/// It is a reference type because all parts of a search add to the same table. It is not thread-safe.
final class TermTable {
  let claims: ClaimTypes
  /// The earliest time of a request.
  let nowMilliseconds: Int64
  /// The injected faults that tests enable; empty in the product.
  let faults: ExposureFaults
  // The exclusivity checks are disabled, because these are read at every step of a search. They are never read during a
  // change: only one function adds to each of them, and it does not call other functions of the table during the
  // change.
  @exclusivity(unchecked) private(set) var terms: [Term] = []
  @exclusivity(unchecked) private(set) var places: [Place] = []
  /// The last step and the parent of each place. Most callers need only these, not all steps.
  @exclusivity(unchecked) private var ends: [(last: Segment?, parent: PlaceID)] = [(nil, 0)]
  @exclusivity(unchecked) private(set) var scopes: [Scope] = []
  @exclusivity(unchecked) private(set) var wildcards: [Wildcard] = []
  @exclusivity(unchecked) private(set) var patterns: [TextPattern] = []
  /// The terms that consist of one or two numbers, by their ``key(of:)``.
  @exclusivity(unchecked) private var small = IntegerMap()
  @exclusivity(unchecked) private var doubles = IntegerMap()
  /// All other terms, by their ``TermHash`` or, after a collision, the next free number.
  @exclusivity(unchecked) private var large = IntegerMap()
  @exclusivity(unchecked) private var placeNumbers = IntegerMap()
  private var patternNumbers: [String: Int] = [:]
  /// The owner of each claim, filled on demand.
  @exclusivity(unchecked) private var owners: [TermID] = []

  static let null: TermID = 0
  static let no: TermID = 1
  static let yes: TermID = 2
  /// The root of the tree.
  static let root: PlaceID = 0
  /// A place that never exists: its key is the empty text.
  let nowhere: PlaceID

  init(claims: ClaimTypes, nowMilliseconds: Int64, faults: ExposureFaults = []) {
    self.claims = claims
    self.faults = faults
    self.nowMilliseconds = nowMilliseconds
    terms = [.null, .bool(false), .bool(true), .text("")]
    places = [Place(parent: nil, segments: [])]
    nowhere = 1
    insert(terms[3], 3)
    _ = place(Self.root, .key(3))
  }

  // MARK: Terms

  subscript(term: TermID) -> Term { terms[term] }

  func intern(_ term: Term) -> TermID {
    switch term {
    case .null: return Self.null
    case .bool(let value): return value ? Self.yes : Self.no
    case .number(let value):
      let value = value == 0 ? 0 : value  // -0 is normalised to 0
      if let known = doubles[value.bitPattern] { return known }
      doubles.insert(terms.count, for: value.bitPattern)
      return add(.number(value))
    default: break
    }
    if let key = Self.key(of: term) {
      if let known = small[key] { return known }
      small.insert(terms.count, for: key)
      return add(term)
    }
    if let known = find(term) { return known }
    switch term {
    case .claim(let names):
      let canonical = claims.canonical(names)
      if canonical != names { return intern(.claim(canonical)) }
      if claims.types(names) == .null { return Self.null }
    case .joined(let parts):
      let joined = join(parts)
      if joined != term { return intern(joined) }
    default: break
    }
    insert(term, terms.count)
    return add(term)
  }

  private func find(_ term: Term) -> TermID? {
    var key = TermHash(term).bits
    while let known = large[key] {
      if terms[known] == term { return known }
      key &+= 1
    }
    return nil
  }

  private func insert(_ term: Term, _ number: TermID) {
    var key = TermHash(term).bits
    while large[key] != nil { key &+= 1 }
    large.insert(number, for: key)
  }

  private func add(_ term: Term) -> TermID {
    terms.append(term)
    return terms.count - 1
  }

  /// Returns a unique number for each term that consists of one or two numbers; nil for all others. The numbers of
  /// terms and places are less than 2^28, because a search reaches other limits first.
  private static func key(of term: Term) -> UInt64? {
    func key(_ kind: UInt64, _ a: Int, _ b: Int = 0) -> UInt64 { kind << 56 | UInt64(a) << 28 | UInt64(b) }
    switch term {
    case .now: return key(1, 0)
    case .wildcard(let number): return key(2, number)
    case .query(let field): return key(3, field.number)
    case .value(let side, let place): return key(side == .old ? 4 : 5, place)
    case .priority(let side, let place): return key(side == .old ? 6 : 7, place)
    case .computedClaim(let a, let b): return key(8, a, b)
    case .claimLength(let a): return key(9, a)
    case .length(let a): return key(10, a)
    case .negative(let a): return key(11, a)
    case .arithmetic(let binary, let a, let b): return key(12 + binary.number, a, b)
    case .null, .bool, .number, .text, .claim, .joined, .applied: return nil
    }
  }

  /// Returns the claim to which a claim belongs; nil for `auth` itself and for other terms.
  func owner(of claim: TermID) -> TermID? {
    if claim < owners.count, owners[claim] >= 0 { return owners[claim] }
    guard case .claim(let names) = terms[claim], !names.isEmpty else { return nil }
    let owner = intern(.claim(Array(names.dropLast())))
    while owners.count <= claim { owners.append(-1) }
    owners[claim] = owner
    return owner
  }

  func isConstant(_ term: TermID) -> Bool {
    switch terms[term] {
    case .null, .bool, .number, .text: true
    default: false
    }
  }

  func text(_ text: String) -> TermID { intern(.text(Key(text))) }

  /// Returns the constant of a value; nil for a container and for NaN, which are not equal to any value.
  func constant(_ value: Value) -> TermID? {
    switch value {
    case .null: Self.null
    case .bool(let value): value ? Self.yes : Self.no
    case .number(let value): value.isNaN ? nil : intern(.number(value))
    case .string(let text): self.text(text)
    case .container: nil
    }
  }

  /// Returns the concatenation of the parts, with nested concatenations flattened, adjacent constants joined, and empty
  /// texts removed.
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

  /// Returns the types that a term can have in any request.
  func types(_ term: TermID) -> TypeSet {
    switch terms[term] {
    case .null: .null
    case .bool: .bool
    case .number, .now, .length, .arithmetic, .negative: .number
    case .text, .wildcard, .joined: .text
    case .applied(let function, _): Self.types(function.descriptor.type)
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

  private static func types(_ type: StaticType) -> TypeSet {
    switch type {
    case .boolean: .bool
    case .number: .number
    case .string: .text
    case .null: .null
    case .value, .auth, .query, .queryValue, .queryLimit, .ordering, .mixed, .snapshot, .method, .regularExpression:
      .any
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
    // As Swift strings, names that differ only in their Unicode normalisation would be equal, so their bytes are used.
    let key = String(decoding: Array(name.utf8).flatMap { [$0 >> 4 | 0x40, $0 & 15 | 0x40] }, as: UTF8.self)
    if let known = patternNumbers[key] { return known }
    patterns.append(pattern)
    patternNumbers[key] = patterns.count - 1
    return patterns.count - 1
  }

  // MARK: Places

  func place(_ parent: PlaceID?, _ segment: Segment) -> PlaceID {
    let key = segment.key(below: parent)
    if let known = placeNumbers[key] { return known }
    places.append(Place(parent: parent, segments: (parent.map { places[$0].segments } ?? []) + [segment]))
    ends.append((segment, parent ?? Self.root))
    placeNumbers.insert(places.count - 1, for: key)
    return places.count - 1
  }

  /// Returns the last step of a place and its parent, which is the root when it is unknown.
  func end(of place: PlaceID) -> (last: Segment?, parent: PlaceID) { ends[place] }

  func place(_ keys: [TermID]) -> PlaceID { keys.reduce(Self.root) { place($0, .key($1)) } }

  func addScope(_ keys: [TermID]) -> ScopeID {
    scopes.append(Scope(place: place(keys), keys: keys))
    return scopes.count - 1
  }

  /// Returns the place of `child(text)`.
  func child(_ place: PlaceID, _ text: TermID) -> PlaceID {
    guard let segments = segments(text) else { return self.place(place, .whole(text)) }
    guard !segments.isEmpty else { return self.place(place, .key(self.text(""))) }
    return segments.reduce(place) { self.place($0, $1) }
  }

  /// Returns the steps of a path; nil when the path is unknown and may have no key.
  ///
  /// Literal slashes separate the steps. A wildcard between two slashes is one key; any other unknown part may contain
  /// slashes.
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

  /// Returns the place of `parent()`; nil at the root.
  func parent(_ place: PlaceID) -> PlaceID? {
    if place == Self.root { return nil }
    guard case .key = places[place].segments.last else { return self.place(nil, .above(place)) }
    return places[place].parent
  }
}

extension Segment {
  /// Returns a unique number for a step below a place. The numbers of places and terms are less than 2^30.
  fileprivate func key(below parent: PlaceID?) -> UInt64 {
    let above = UInt64(parent.map { $0 + 1 } ?? 0) << 32
    return switch self {
    case .key(let term): above | UInt64(term) << 2
    case .part(let term): above | UInt64(term) << 2 | 1
    case .whole(let term): above | UInt64(term) << 2 | 2
    case .above(let place): above | UInt64(place) << 2 | 3
    }
  }
}

extension QueryField {
  fileprivate var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }  // `allCases` contains every case
}

extension BinaryOperator {
  fileprivate var number: UInt64 { UInt64(Self.allCases.firstIndex(of: self) ?? 0) }
}
