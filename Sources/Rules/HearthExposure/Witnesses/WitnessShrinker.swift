import HearthRules
import HearthTree

/// A shrinker of witnesses: it simplifies a witness as long as the evaluator's decision meets the target.
struct WitnessShrinker {
  private let target: SearchTarget
  private var triesLeft = ExposureLimits.shrinkTriesMax

  init(_ target: SearchTarget) { self.target = target }

  mutating func shrunk(_ witness: ExposureWitness) -> ExposureWitness {
    var best = witness
    var next = best
    next.nowMilliseconds = target.nowMilliseconds
    take(next, &best)
    next = best
    next.query = nil
    take(next, &best)
    for index in best.changes.indices.dropFirst().reversed() {
      next = best
      next.changes.remove(at: index)
      take(next, &best)
    }
    shrinkData(&best)
    shrinkValue(&best)
    shrinkAuth(&best)
    return best
  }

  private mutating func take(_ candidate: ExposureWitness, _ best: inout ExposureWitness) {
    _ = isTaken(candidate, &best)
  }

  private mutating func isTaken(_ candidate: ExposureWitness, _ best: inout ExposureWitness) -> Bool {
    guard triesLeft > 0 else { return false }
    triesLeft -= 1
    guard target.accepts(candidate) else { return false }
    best = candidate
    return true
  }

  private mutating func shrinkData(_ best: inout ExposureWitness) {
    for path in Self.paths(best.data) where !best.data[path].isEmpty {
      for smaller in Self.smaller(best.data[path]) {
        var next = best
        next.data = best.data.replacing(path, with: smaller)
        // A change of a priority includes the existing value.
        if target.form == .priority {
          next.changes[0].value = next.data[targetPath(best)].with(priority: best.changes[0].value.priority)
        }
        if isTaken(next, &best) { break }
      }
    }
  }

  private func targetPath(_ witness: ExposureWitness) -> Path { witness.changes.first?.path ?? witness.path }

  private mutating func shrinkValue(_ best: inout ExposureWitness) {
    guard target.form == .set else { return }
    for path in Self.paths(best.changes[0].value) where !best.changes[0].value[path].isEmpty {
      for smaller in Self.smaller(best.changes[0].value[path]) where !(path.isRoot && smaller.isEmpty) {
        var next = best
        next.changes[0].value = best.changes[0].value.replacing(path, with: smaller)
        if next.changes[0].value.isEmpty { continue }
        if isTaken(next, &best) { break }
      }
    }
  }

  /// Removes claims that a user need not have.
  private mutating func shrinkAuth(_ best: inout ExposureWitness) {
    guard case .object(let members) = best.auth, let token = best.auth?["token"]?.members else { return }
    for claim in token where !isOfTheClass(claim.name) {
      guard let left = best.auth?["token"]?.members?.filter({ $0.name != claim.name }) else { return }
      var next = best
      next.auth = .object(members.filter { $0.name != "token" } + [.init("token", .object(left))])
      take(next, &best)
    }
  }

  private func isOfTheClass(_ name: String) -> Bool {
    if case .holder(let names, _) = target.identity { return names.first == name }
    return false
  }

  /// Returns the paths of a tree, parents before their children.
  private static func paths(_ node: Node, _ base: Path = .root) -> [Path] {
    [base] + node.children.flatMap { paths($0.node, base.appending($0.key)) }
  }

  private static func smaller(_ node: Node) -> [Node] {
    if node.isInterior { return [.empty, Node(.bool(true))] }
    var result = [Node.empty]
    if node.priority != nil { result.append(node.with(priority: nil)) }
    if case .string(let text) = node.scalar, text.utf8.count > 1 { result += [Node(.bool(true)), Node(.string("a"))] }
    return result
  }
}
