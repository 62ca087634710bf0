import HearthTree

/// The unknowns of one request with a given path and uid: the values that rules read, before and after the request, and
/// the constraints between them.
///
/// Locations are created on first use, with all their ancestors.
final class SMTUnknowns {
  enum Side: String {
    case old
    case new
  }

  struct Place: Hashable {
    var side: Side
    var keys: [String]
  }

  /// The written path; nil for a read.
  let written: [String]?
  private(set) var declarations: [String] = []
  private(set) var constraints: [String] = []
  /// Locations with their own unknowns, by the number in the unknowns' names.
  private(set) var places: [Place: Int] = [:]
  private(set) var priorities: [Place: Int] = [:]
  /// For each location above the written one: its known children beside the written path.
  private var others: [[String]: Int] = [:]
  private var derived: [Place: SMTValue] = [:]

  init(written: [String]?) { self.written = written }

  func declare(_ name: String, _ sort: String) { declarations.append("(declare-const \(name) \(sort))") }

  func require(_ constraint: String) { constraints.append(constraint) }

  /// Returns a value with its own unknowns, of one of these kinds.
  func unknown(_ name: String, _ kinds: [SMTValue.Kind]) -> SMTValue {
    for (part, sort) in [("k", "Int"), ("b", "Bool"), ("n", "Real"), ("s", "String")] { declare(name + part, sort) }
    let value = SMTValue(kind: name + "k", bool: name + "b", number: name + "n", text: name + "s")
    require(SMT.any(kinds.map { value.isKind($0) }))
    return value
  }

  // MARK: Locations

  func value(_ side: Side, _ keys: [String]) -> SMTValue {
    let place = Place(side: side, keys: keys)
    guard side == .new, let written else { return own(Place(side: .old, keys: keys)) }
    if keys.starts(with: written) { return own(place) }
    guard written.starts(with: keys) else { return own(Place(side: .old, keys: keys)) }
    if let known = derived[place] { return known }
    let after = aboveWritten(keys, written)
    derived[place] = after
    return after
  }

  /// Returns the value of a location above the written one after the write.
  private func aboveWritten(_ keys: [String], _ written: [String]) -> SMTValue {
    let way = keys + [written[keys.count]]
    let (before, next, nextBefore) = (value(.old, keys), value(.new, way), value(.old, way))
    let number = others.count
    others[keys] = number
    let other = "o\(number)"
    declare(other, "Bool")
    require("(=> \(other) \(before.isKind(.object)))")
    require("(=> (and \(before.isKind(.object)) \(nextBefore.isKind(.null))) \(other))")
    let left = SMTValue.either("(and \(before.isKind(.object)) (not \(other)))", .null, before)
    return .either(next.isKind(.null), left, .object)
  }

  private func own(_ place: Place) -> SMTValue {
    let known = places[place]
    let number = known ?? places.count
    let value = SMTValue(kind: "p\(number)k", bool: "p\(number)b", number: "p\(number)n", text: "p\(number)s")
    if known != nil { return value }
    places[place] = number
    _ = unknown("p\(number)", [.null, .bool, .number, .text, .object])
    if !place.keys.isEmpty, place.side == .old || place.keys != written {
      let above = own(Place(side: place.side, keys: Array(place.keys.dropLast())))
      require("(=> (not \(value.isKind(.null))) \(above.isKind(.object)))")
    }
    return value
  }

  func priority(_ side: Side, _ keys: [String]) -> SMTValue {
    var place = Place(side: side, keys: keys)
    // A location outside the write keeps its priority.
    if side == .new, let written, !keys.starts(with: written) { place.side = .old }
    let there = value(place.side, keys)
    let known = priorities[place]
    let number = known ?? priorities.count
    let name = "q\(number)"
    if known == nil {
      priorities[place] = number
      let value = unknown(name, [.null, .number, .text])
      require("(=> \(there.isKind(.null)) \(value.isKind(.null)))")
    }
    return SMTValue(kind: name + "k", bool: name + "b", number: name + "n", text: name + "s")
  }

  /// Adds the remaining constraints once all locations are known: a location with a child beside the written path has a
  /// child.
  func finish() {
    guard let written else { return }
    for (keys, number) in others {
      for (place, child) in places where place.side == .old && place.keys.count == keys.count + 1 {
        guard place.keys.starts(with: keys), place.keys != Array(written.prefix(keys.count + 1)) else { continue }
        require("(=> (not (= p\(child)k 0)) o\(number))")
      }
    }
  }

  /// Returns the keys of a location's children that were mentioned.
  func children(_ side: Side, of keys: [String]) -> [String] {
    Set(
      places.keys.filter { $0.side == side && $0.keys.count > keys.count && $0.keys.starts(with: keys) }.map {
        $0.keys[keys.count]
      }
    )
    .sorted()
  }

  /// Locations above the written one that have a further child, by the names of their unknowns.
  var beside: [(keys: [String], name: String)] { others.map { ($0, "o\($1)") } }
}
