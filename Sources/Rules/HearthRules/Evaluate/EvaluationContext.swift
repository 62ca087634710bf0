import HearthTree

/// The variables and data of a running rule, and its remaining steps. There is one for each request.
///
/// It is on the stack and borrows the request's values, so creating it needs no allocation and no reference counting.
struct EvaluationContext: ~Copyable {
  /// The `auth` of rules. It is valid as long as the context, like ``query``, because the caller that creates the
  /// context holds the request.
  private let authPointer: UnsafePointer<JSON?>
  private let queryPointer: UnsafePointer<Query?>
  let now: Double
  /// The path, and the data along it.
  var place: PathCursor
  /// The depth of the running rule: the number of keys in the path of its location.
  var depth = 0
  var stepsLeft = 0
  var decisionStepsLeft = RulesLimits.stepsPerDecisionMax
  /// The recorder of reads; nil when reads are not recorded.
  var notes: ReadRecorder?
  /// The observation; nil when the rule is not observed.
  var observation: Observation?
  /// A buffer for short paths.
  var scratch: PathBuffer

  /// Calls `body` with a context at the root of the database.
  @inline(__always)
  static func with<Result>(
    auth: JSON?, nowMilliseconds: Int64, query: Query?, old: Node, new: Node,
    _ body: (consuming EvaluationContext) -> Result
  ) -> Result {
    withUnsafePointer(to: auth) { auth in
      withUnsafePointer(to: query) { query in
        withUnsafeTemporaryAllocation(of: BorrowedNode.self, capacity: 2 * PathCursor.memoLevels) { memo in
          withUnsafeTemporaryAllocation(byteCount: PathBuffer.sizeBytes, alignment: 1) { scratch in
            withExtendedLifetime(old) {
              withExtendedLifetime(new) {
                body(
                  EvaluationContext(
                    auth: auth, now: Double(nowMilliseconds), query: query,
                    place: PathCursor(old: BorrowedNode(old), new: BorrowedNode(new), memo: memo),
                    scratch: PathBuffer(scratch)))
              }
            }
          }
        }
      }
    }
  }

  private init(
    auth: UnsafePointer<JSON?>, now: Double, query: UnsafePointer<Query?>, place: consuming PathCursor,
    scratch: PathBuffer
  ) {
    authPointer = auth
    queryPointer = query
    self.now = now
    self.place = place
    self.scratch = scratch
  }

  /// The `auth` of rules, in place.
  var auth: UnsafePointer<JSON?> { authPointer }

  /// The `query` of rules.
  var query: QueryView { QueryView(queryPointer) }

  /// Returns true when the read of a chain must be recorded.
  func notes(_ chain: borrowing SnapshotChain) -> Bool {
    // A chain with `parent()` may lead out of the replaced location.
    if let notes, chain.base == .root || depth - chain.parentCount < notes.ownDepth { return true }
    return observation != nil
  }

  /// Returns true when the keys are at or below the replaced location of the current path.
  func isOwn(_ keys: [Key]) -> Bool {
    let ownDepth = notes?.ownDepth ?? .max
    guard keys.count >= ownDepth, ownDepth <= place.count else { return false }
    return (0..<ownDepth).allSatisfy { keys[$0] == place.key(at: $0) }
  }

  /// Runs a rule of the current path at the given depth.
  mutating func run(_ rule: Rule, depth: Int) -> RuleVisit.Result {
    self.depth = depth
    let allowance = min(RulesLimits.stepsPerRuleMax, decisionStepsLeft)
    stepsLeft = allowance
    defer { decisionStepsLeft -= min(allowance, allowance - stepsLeft) }
    observation?.begin(rule)
    do {
      return .value(try rule.program.truth(rule.program.root, &self))
    } catch {
      return .error(error)
    }
  }
}

/// The reads of a decision, for callers that repeat the decision only when these change.
final class ReadRecorder {
  /// The reads of the tree before a write; for a read, of the current tree.
  var before: ReadDependencies
  /// The reads of the tree after a write; nil for a read.
  var after: ReadDependencies?
  /// The maximum depth of a replaced location; a deeper one counts as its ancestor at this depth.
  let ownDepthMax: Int
  /// The depth from which the current path is in the replaced location. Reads there are not recorded.
  var ownDepth = Int.max
  /// True when reads in the replaced location are recorded too.
  var recordsOwn = false

  /// Creates the recorder for a read.
  init(_ before: ReadDependencies = ReadDependencies()) {
    self.before = before
    ownDepthMax = .max
  }

  /// Creates the recorder for a write, with the existing reads of the trees before and after it.
  init(before: ReadDependencies, after: ReadDependencies, ownDepthMax: Int) {
    self.before = before
    self.after = after
    self.ownDepthMax = ownDepthMax
  }
}

/// A buffer for the bytes of short paths, used as a stack: a path that is computed within another one uses the
/// remaining bytes.
struct PathBuffer {
  static let sizeBytes = 512
  private let bytes: UnsafeMutableRawBufferPointer
  /// The number of bytes in use.
  private(set) var end = 0

  init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  /// Appends bytes; returns false when there is not enough space.
  mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
    guard more.count <= bytes.count - end else { return false }
    UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyMemory(from: more)
    end += more.count
    return true
  }

  /// Returns the bytes appended after a position.
  func bytes(from start: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start..<end]) }

  /// Removes the bytes appended after a position.
  mutating func cut(to start: Int) { end = start }
}
