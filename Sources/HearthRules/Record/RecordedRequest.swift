import HearthTree

/// A denied request as it can be kept: the same rules answer it the same way, with no more of the database than what
/// they looked at. Of who asked it has what rules see, and only if they looked; never a credential.
package struct RecordedRequest: Sendable {
  private let rules: RuleSet
  let request: RulesRequest

  /// Decides once more, and notes what is looked at. Nil when that is more than ``RulesLimits/recordReadsMax`` places or
  /// ``RulesLimits/recordSizeBytesMax``, or when deciding took more than ``RulesLimits/recordStepsMax``.
  init?(_ denied: DeniedRequest) {
    rules = denied.rules.withoutCounting
    switch denied.request {
    case .read(var request):
      guard let notes = rules.notingReads(.read(request)) else { return nil }
      var tree = RecordedTree()
      guard tree.add(notes.reads.filter { !$0.isAfter }) else { return nil }
      request.root = tree.root
      if !notes.usesAuth { request.auth = request.auth.map(Self.identity) }
      self.request = .read(request)
    case .write(var request):
      guard let notes = rules.notingReads(.write(request)) else { return nil }
      var (old, new) = (RecordedTree(), RecordedTree())
      guard old.add(notes.reads.filter { !$0.isAfter }), new.add(notes.reads.filter(\.isAfter)) else { return nil }
      for location in request.locations {
        guard new.add(written: location, in: request.newRoot) else { return nil }
      }
      (request.oldRoot, request.newRoot) = (old.root, new.root)
      if !notes.usesAuth { request.auth = request.auth.map(Self.identity) }
      self.request = .write(request)
    }
  }

  /// Who it is, without the claims.
  private static func identity(_ auth: JSON) -> JSON { .object([.init("uid", auth["uid"] ?? .null)]) }

  /// What rules saw as `now`.
  package var nowMilliseconds: Int64 {
    switch request {
    case .read(let request): request.nowMilliseconds
    case .write(let request): request.nowMilliseconds
    }
  }

  /// The text of the rules that denied it.
  package var rulesSource: String { rules.source }

  /// The decision, with all that led to it.
  package func explained() -> Decision { rules.withExpressions.decide(request, detail: .trace) }
}

/// As much of a database as rules looked at.
struct RecordedTree {
  private(set) var root = Node.empty
  private var bytesLeft = RulesLimits.recordSizeBytesMax

  /// Stands for children that nobody looked at.
  private static let someChild = Key("…")

  /// False when it is too much.
  mutating func add(_ reads: [Observation.Read]) -> Bool {
    var nodes: [Path: Node] = [:]
    for read in reads { nodes[Path(read.keys)] = read.node }
    return add(nodes)
  }

  /// All that a write puts at a place, and what is above it. False when it is too much.
  mutating func add(written location: Location, in newRoot: Node) -> Bool {
    var above: [Path: Node] = [:]
    for depth in 0...location.path.count {
      let prefix = location.path.prefix(depth)
      above[prefix] = newRoot[prefix]
    }
    guard add(above) else { return false }
    let node = newRoot[location.path]
    if location.isPriority || node.isEmpty { return true }
    guard take(node.heldBytes(upTo: bytesLeft + 1)) else { return false }
    root = root.replacing(location.path, with: node)
    return true
  }

  private mutating func add(_ nodes: [Path: Node]) -> Bool {
    let places = nodes.sorted { $0.key.count > $1.key.count }
    for (path, node) in places where !node.isEmpty {
      guard take(64 + path.keys.reduce(0) { $0 + $1.text.utf8.count }) else { return false }
      if let scalar = node.scalar {
        guard take(node.heldBytes(upTo: bytesLeft + 1)) else { return false }
        root = root.replacing(path, with: Node(scalar, priority: node.priority))
      } else if !root[path].isInterior {
        root = root.replacing(path.appending(Self.someChild), with: Node(.bool(true)))
      }
    }
    for (path, node) in places where node.isInterior && node.priority != nil {
      root = root.replacing(path, with: root[path].with(priority: node.priority))
    }
    return true
  }

  private mutating func take(_ bytes: Int) -> Bool {
    bytesLeft -= bytes
    return bytesLeft >= 0
  }
}
