import HearthTree

/// A change that is computed from the newest state: read, decide and write in one atomic step.
///
/// The body runs on the database's deciding queue, at most once, and sees all earlier decisions, durable or not. While
/// it runs the database decides nothing else: it must compute from its arguments, must not wait, and must never call
/// the database. Rules are not evaluated.
public struct Transaction: Sendable {
  private let body: @Sendable (_ draft: inout TransactionDraft) -> Bool

  /// Creates a transaction.
  ///
  /// - Parameter body: Changes the draft, and returns true to keep it. When it returns false, nothing is changed.
  public init(_ body: @escaping @Sendable (_ draft: inout TransactionDraft) -> Bool) { self.body = body }

  /// Returns the commit of the transaction.
  ///
  /// - Returns: nil when the draft is not kept.
  func planned(
    on root: Node, after position: Int64, at now: Instant, _ limits: EngineLimits
  ) throws(Failure) -> Commit? {
    var draft = TransactionDraft(root: root, now: now)
    guard body(&draft) else { return nil }
    let changes = try draft.changes(limits: limits)
    return Commit(
      position: position + 1, base: .root, isMerge: changes.first?.location.path.isRoot == false, changes: changes,
      oldRoot: root, newRoot: draft.root)
  }
}

/// The tree as a ``Transaction`` reads and changes it.
public struct TransactionDraft: Sendable {
  /// The newest tree, with the changes so far.
  public private(set) var root: Node

  /// The time of the decision.
  public let now: Instant

  private let oldRoot: Node
  private var paths: [Path] = []
  private var isTouched: Set<Path> = []

  init(root: Node, now: Instant) {
    self.root = root
    self.now = now
    oldRoot = root
  }

  /// True when ``replace(_:with:)`` was not called.
  public var isEmpty: Bool { paths.isEmpty }

  /// Replaces the data at a path; an empty node deletes it.
  public mutating func replace(_ path: Path, with node: Node) {
    root = root.replacing(path, with: node)
    if isTouched.insert(path).inserted { paths.append(path) }
  }

  /// Returns the locations that changed, in the order in which they were first replaced. None contains another.
  func changes(limits: EngineLimits) throws(Failure) -> [Commit.Change] {
    var changes: [Commit.Change] = []
    for path in paths where !isBelowAnother(path) {
      let node = root[path]
      if node == oldRoot[path] { continue }
      for key in path.keys where key.problem != nil { throw .invalidPath }
      guard path.count <= limits.depthMax, node.fits(levels: limits.depthMax - path.count) else {
        throw Failure(.invalidData, "The data is nested deeper than \(limits.depthMax) levels")
      }
      changes.append(Commit.Change(location: Location(path: path), node: node))
    }
    return changes
  }

  private func isBelowAnother(_ path: Path) -> Bool {
    (0..<path.count).contains { isTouched.contains(Path(Array(path.keys.prefix($0)))) }
  }
}

extension Node {
  /// Returns true when all leaves are at most `levels` keys below this node. The recursion is no deeper than that.
  fileprivate func fits(levels: Int) -> Bool {
    !isInterior || levels > 0 && children.allSatisfy { $0.node.fits(levels: levels - 1) }
  }
}
