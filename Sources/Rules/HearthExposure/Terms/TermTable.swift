import HearthRules
import HearthTree

/// The terms, places and patterns of one question, each once: equal numbers are equal terms.
///
/// A class, because all parts of a question add to the one table. Not thread-safe.
final class TermTable {
  let claims: ClaimTypes
  /// The earliest time of a request.
  let nowMilliseconds: Int64
  /// The faults that tests switch on; empty in the product.
  let faults: ExposureFaults
  // Read at every step of a search, and never while they change: only one function adds to each, and calls nothing else
  // of the table meanwhile.
  @exclusivity(unchecked) private(set) var terms: [Term] = []
  @exclusivity(unchecked) private(set) var places: [Place] = []
  /// The last step of each place and its parent, which most callers need without the list of steps.
  @exclusivity(unchecked) private var ends: [(last: Segment?, parent: PlaceID)] = [(nil, 0)]
  @exclusivity(unchecked) private(set) var scopes: [Scope] = []
  @exclusivity(unchecked) private(set) var wildcards: [Wildcard] = []
  @exclusivity(unchecked) private(set) var patterns: [TextPattern] = []
  /// Terms of one or two numbers, by those.
  @exclusivity(unchecked) private var small = IntegerMap()
  @exclusivity(unchecked) private var doubles = IntegerMap()
  /// All other terms, by their ``TermHash``, or the next free number after it.
  @exclusivity(unchecked) private var large = IntegerMap()
  @exclusivity(unchecked) private var placeNumbers = IntegerMap()
  private var patternNumbers: [String: Int] = [:]
  /// The claim that each claim is below, filled on demand.
  @exclusivity(unchecked) private var owners: [TermID] = []

  static let null: TermID = 0
  static let no: TermID = 1
  static let yes: TermID = 2
  /// The place that holds the whole tree.
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
      let value = value == 0 ? 0 : value  // there is no -0
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

  /// A unique number for each term that is made of one or two numbers; nil for all others. Numbers of terms and places
  /// are far below 2^28: a search ends long before.
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

  /// The claim that a claim is below; nil for `auth` itself and for other terms.
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

  /// The parts joined: sums inside sums dissolved, adjacent constants as one, empty texts left out.
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

  /// The types that a term can have in any request.
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
    // Names that only differ in Unicode form would be one here; they are told apart by their bytes.
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

  /// The last step of a place, and its parent: the root when that is unknown.
  func end(of place: PlaceID) -> (last: Segment?, parent: PlaceID) { ends[place] }

  func place(_ keys: [TermID]) -> PlaceID { keys.reduce(Self.root) { place($0, .key($1)) } }

  func addScope(_ keys: [TermID]) -> ScopeID {
    scopes.append(Scope(place: place(keys), keys: keys))
    return scopes.count - 1
  }

  /// Returns the place that `child(text)` leads to.
  func child(_ place: PlaceID, _ text: TermID) -> PlaceID {
    guard let segments = segments(text) else { return self.place(place, .whole(text)) }
    guard !segments.isEmpty else { return self.place(place, .key(self.text(""))) }
    return segments.reduce(place) { self.place($0, $1) }
  }

  /// The steps of a path; nil when it may have no key at all, and is unknown.
  ///
  /// Literal slashes separate them. A wildcard alone between them is one key; anything else may hold slashes of its
  /// own.
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

  /// Returns the place that `parent()` leads to; nil at the root.
  func parent(_ place: PlaceID) -> PlaceID? {
    if place == Self.root { return nil }
    guard case .key = places[place].segments.last else { return self.place(nil, .above(place)) }
    return places[place].parent
  }
}

extension Segment {
  /// A unique number for each step from each place. Numbers of places and terms are far below 2^30.
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
  fileprivate var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }  // because every case is one of all
}

extension BinaryOperator {
  fileprivate var number: UInt64 { UInt64(Self.allCases.firstIndex(of: self) ?? 0) }
}
