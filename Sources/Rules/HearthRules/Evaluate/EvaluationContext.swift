import HearthTree

/// The variables and data of a running rule, and its remaining steps. There is one for each request.
///
/// It lives on the stack and borrows the request's values: setting it up allocates nothing and counts no references.
struct EvaluationContext: ~Copyable {
  /// The `auth` of rules. Valid as long as the context is, like ``query``: the caller that sets it up holds the
  /// request.
  private let authPointer: UnsafePointer<JSON?>
  private let queryPointer: UnsafePointer<Query?>
  let now: Double
  /// The path, and the data along it.
  var place: PathCursor
  /// The depth of the running rule: the number of keys of the path above it.
  var depth = 0
  var stepsLeft = 0
  var decisionStepsLeft = RulesLimits.stepsPerDecisionMax
  /// The notes of reads; nil when they are not requested.
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

  /// Returns true when the read of a chain is to be noted.
  func notes(_ chain: borrowing SnapshotChain) -> Bool {
    // A chain that goes up may leave the replaced place.
    if let notes, chain.base == .root || depth - chain.parentCount < notes.ownDepth { return true }
    return observation != nil
  }

  /// Returns true when a place is at or below the replaced one on this path.
  func isOwn(_ keys: [Key]) -> Bool {
    let ownDepth = notes?.ownDepth ?? .max
    guard keys.count >= ownDepth, ownDepth <= place.count else { return false }
    return (0..<ownDepth).allSatisfy { keys[$0] == place.key(at: $0) }
  }

  /// Runs a rule that stands `depth` keys below the root on the current path.
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

/// The reads of a decision, for callers that decide again only when those change.
final class ReadRecorder {
  /// The reads of the tree before a write; for a read, of the tree as it is.
  var before: ReadDependencies
  /// The reads of the tree after a write; nil for a read.
  var after: ReadDependencies?
  /// The depth at which places of a write further down are counted.
  let ownDepthMax: Int
  /// The depth from which the path leads into the replaced place. Reads there are not noted.
  var ownDepth = Int.max
  /// True when reads in the replaced place are noted too.
  var recordsOwn = false

  /// Makes the notes of a read.
  init(_ before: ReadDependencies = ReadDependencies()) {
    self.before = before
    ownDepthMax = .max
  }

  /// Makes the notes of a write, with the reads so far of the trees before and after it.
  init(before: ReadDependencies, after: ReadDependencies, ownDepthMax: Int) {
    self.before = before
    self.after = after
    self.ownDepthMax = ownDepthMax
  }
}

/// A buffer for the bytes of short paths, used from its beginning on: a path within a path takes the rest.
struct PathBuffer {
  static let sizeBytes = 512
  private let bytes: UnsafeMutableRawBufferPointer
  /// The number of bytes in use.
  private(set) var end = 0

  init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  /// Appends bytes; false when there is no room for them.
  mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
    guard more.count <= bytes.count - end else { return false }
    UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyMemory(from: more)
    end += more.count
    return true
  }

  /// The bytes appended since a position.
  func bytes(from start: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start..<end]) }

  /// Removes the bytes appended since a position.
  mutating func cut(to start: Int) { end = start }
}
