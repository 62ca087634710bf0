import HearthTree

/// A denied request in a form that can be stored. It has only the part of the database that the rules read, and the
/// same rules make the same decision on it. Of the client, it only has the values that the rules read, and never a
/// credential.
package struct RecordedRequest: Sendable {
  private let rules: RuleSet
  /// The request, with the part of the data that was read.
  package let request: RulesRequest
  /// The recorded locations of the data.
  private let known: KnownLocations
  /// The approximate size of its data in bytes.
  package let heldBytes: Int

  /// Creates a record of a request with the reads of the given rules, whether they deny it or not; nil when it would be
  /// too large.
  package init?(_ request: RulesRequest, by rules: RuleSet) {
    self.init(DeniedRequest(rules: rules, request: request))
  }

  /// Creates a record by repeating the decision with its reads recorded; nil when there are more than
  /// ``RulesLimits/recordReadsMax`` reads or ``RulesLimits/recordSizeBytesMax`` bytes, or when the decision takes more
  /// than ``RulesLimits/recordStepsMax`` steps.
  init?(_ denied: DeniedRequest) {
    rules = denied.rules.withoutCounting
    switch denied.request {
    case .read(var request):
      guard let notes = rules.recordingReads(.read(request)) else { return nil }
      var tree = RecordedTree()
      guard tree.add(notes.reads.filter { !$0.isAfter }) else { return nil }
      request.root = tree.root
      if !notes.usesAuth { request.auth = request.auth.map(Self.identity) }
      known = KnownLocations(notes.reads, written: [], hasClaims: notes.usesAuth)
      heldBytes = tree.heldBytes
      self.request = .read(request)
    case .write(var request):
      guard let notes = rules.recordingReads(.write(request)) else { return nil }
      var (old, new) = (RecordedTree(), RecordedTree())
      guard old.add(notes.reads.filter { !$0.isAfter }), new.add(notes.reads.filter(\.isAfter)) else { return nil }
      for location in request.locations {
        guard new.add(written: location, in: request.newRoot) else { return nil }
      }
      (request.oldRoot, request.newRoot) = (old.root, new.root)
      if !notes.usesAuth { request.auth = request.auth.map(Self.identity) }
      known = KnownLocations(notes.reads, written: request.locations, hasClaims: notes.usesAuth)
      heldBytes = old.heldBytes + new.heldBytes
      self.request = .write(request)
    }
  }

  /// Returns `auth` with only the user ID, without the claims.
  private static func identity(_ auth: JSON) -> JSON { ["uid": auth["uid"] ?? .null] }

  /// The `now` of rules.
  package var nowMilliseconds: Int64 {
    switch request {
    case .read(let request): request.nowMilliseconds
    case .write(let request): request.nowMilliseconds
    }
  }

  /// The text of the rules that denied the request.
  package var rulesSource: String { rules.source }

  /// Returns the decision of other rules, with all details; nil when it takes more than ``RulesLimits/explainStepsMax``
  /// steps.
  ///
  /// - Returns: The decision, and true when the rules read only recorded data; data that was not recorded counts as
  ///   null.
  package func decided(by other: RuleSet) -> (decision: Decision, isComplete: Bool)? {
    let decision = other.withExpressions.traced(request, stepsMax: RulesLimits.explainStepsMax)
    guard let decision else { return nil }
    let notes = other.withoutCounting.recordingReads(request)
    return (decision, notes.map { known.include($0.reads, usesAuth: $0.usesAuth) } ?? false)
  }

  /// Returns the decision, with all details.
  package func explained() -> Decision { rules.withExpressions.decide(request, detail: .trace) }
}

/// The recorded locations of a request's data, and whether the user's claims were recorded.
private struct KnownLocations: Sendable {
  private struct Place: Hashable {
    let isAfter: Bool
    let path: Path
  }

  /// The locations that were read; true for those at which the existence of children is known.
  private var places: [Place: Bool] = [:]
  private let written: [Path]
  private let hasClaims: Bool

  init(_ reads: [Observation.Read], written locations: [Location], hasClaims: Bool) {
    written = locations.filter { !$0.isPriority }.map(\.path)
    self.hasClaims = hasClaims
    for read in reads { places[Place(isAfter: read.isAfter, path: Path(read.keys))] = read.node.isInterior }
  }

  func include(_ reads: [Observation.Read], usesAuth: Bool) -> Bool {
    (hasClaims || !usesAuth) && reads.allSatisfy { includes($0.isAfter, Path($0.keys)) }
  }

  private func includes(_ isAfter: Bool, _ path: Path) -> Bool {
    if isAfter, written.contains(where: { $0.count <= path.count && path.prefix($0.count) == $0 }) { return true }
    if places[Place(isAfter: isAfter, path: path)] != nil { return true }
    // Everything below a leaf or below null is null.
    return (0..<path.count).contains { places[Place(isAfter: isAfter, path: path.prefix($0))] == false }
  }
}

/// The part of a database that rules read, as a tree.
struct RecordedTree {
  private(set) var root = Node.empty
  private var bytesLeft = RulesLimits.recordSizeBytesMax

  var heldBytes: Int { RulesLimits.recordSizeBytesMax - bytesLeft }

  /// The key that represents children that were not read.
  private static let someChild = Key("…")

  /// Adds reads; false when the size limit is exceeded.
  mutating func add(_ reads: [Observation.Read]) -> Bool {
    var nodes: [Path: Node] = [:]
    for read in reads { nodes[Path(read.keys)] = read.node }
    return add(nodes)
  }

  /// Adds the value that a write sets at a location, and the nodes above it; false when the size limit is exceeded.
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
