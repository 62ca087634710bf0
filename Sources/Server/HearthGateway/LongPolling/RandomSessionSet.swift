/// Names of sessions from which some are picked at random, each in a few steps however many there are.
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

  /// All of them when they are no more than `max`, else `max` of them, some perhaps twice.
  func sample(_ max: Int) -> [String] {
    names.count <= max ? names : (0..<max).map { _ in names[Int.random(in: names.indices)] }
  }
}
