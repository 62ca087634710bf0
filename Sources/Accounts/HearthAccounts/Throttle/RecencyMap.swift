/// A dictionary of bounded size that evicts the least recently used entry.
///
/// The elements are in one array and form a linked list, the most recent first; every operation takes constant time.
struct RecencyMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Element: Sendable {
    var key: Key
    var value: Value
    var newer: Int
    var older: Int
  }

  private static var none: Int { -1 }

  private var elements: [Element] = []
  private var places: [Key: Int] = [:]
  private var newest = none
  private var oldest = none

  let countMax: Int

  init(countMax: Int) { self.countMax = max(1, countMax) }

  var count: Int { places.count }

  /// All keys, in no order.
  var keys: [Key] { Array(places.keys) }

  /// The value, without making it more recent; nil when there is none.
  func peek(_ key: Key) -> Value? { places[key].map { elements[$0].value } }

  /// The value, which becomes the most recent; nil when there is none.
  mutating func value(_ key: Key) -> Value? {
    guard let place = places[key] else { return nil }
    moveToFront(place)
    return elements[place].value
  }

  /// Stores the value as the most recent. Returns the evicted one.
  @discardableResult
  mutating func set(_ key: Key, _ value: Value) -> (key: Key, value: Value)? {
    if let place = places[key] {
      elements[place].value = value
      moveToFront(place)
      return nil
    }
    let forgotten = places.count >= countMax ? removeOldest() : nil
    elements.append(Element(key: key, value: value, newer: Self.none, older: Self.none))
    let place = elements.count - 1
    places[key] = place
    linkAtFront(place)
    return forgotten
  }

  /// The least recently used entry.
  var last: (key: Key, value: Value)? {
    oldest == Self.none ? nil : (elements[oldest].key, elements[oldest].value)
  }

  @discardableResult
  mutating func remove(_ key: Key) -> Value? {
    guard let place = places.removeValue(forKey: key) else { return nil }
    unlink(place)
    let value = elements[place].value
    // The last element of the array fills the gap.
    let end = elements.count - 1
    if place != end {
      let moved = elements[end]
      elements[place] = moved
      places[moved.key] = place
      if moved.newer == Self.none { newest = place } else { elements[moved.newer].older = place }
      if moved.older == Self.none { oldest = place } else { elements[moved.older].newer = place }
    }
    elements.removeLast()
    return value
  }

  private mutating func removeOldest() -> (key: Key, value: Value)? {
    guard let last else { return nil }
    remove(last.key)
    return last
  }

  private mutating func moveToFront(_ place: Int) {
    guard place != newest else { return }
    unlink(place)
    linkAtFront(place)
  }

  private mutating func linkAtFront(_ place: Int) {
    elements[place].newer = Self.none
    elements[place].older = newest
    if newest != Self.none { elements[newest].newer = place }
    newest = place
    if oldest == Self.none { oldest = place }
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (elements[place].newer, elements[place].older)
    if newer == Self.none { newest = older } else { elements[newer].older = older }
    if older == Self.none { oldest = newer } else { elements[older].newer = newer }
  }
}
