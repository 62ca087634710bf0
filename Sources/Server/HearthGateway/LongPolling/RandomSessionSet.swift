/// A set of session ids from which some are sampled at random, each in constant time.
struct RandomSessionSet {
  private var names: [String] = []
  private var places: [String: Int] = [:]

  var count: Int { names.count }

  mutating func insert(_ name: String) {
    guard places[name] == nil else { return }
    places[name] = names.count
    names.append(name)
  }

  mutating func remove(_ name: String) {
    guard let place = places.removeValue(forKey: name), let last = names.popLast(), last != name else { return }
    names[place] = last
    places[last] = place
  }

  /// Returns all of them when they are no more than `max`, else `max` of them, perhaps with repetitions.
  func sample(_ max: Int) -> [String] {
    names.count <= max ? names : (0..<max).map { _ in names[Int.random(in: names.indices)] }
  }
}
