import HearthTree

/// All that a rule can see while it runs, and what it has used up. There is one for each request.
///
/// It lives on the stack and borrows what the request holds: setting it up allocates nothing and counts no references.
struct EvaluationContext: ~Copyable {
  /// What rules see as `auth`. Valid as long as the context is, like ``query``: whoever sets it up holds the request.
  private let authPlace: UnsafePointer<JSON?>
  private let queryPlace: UnsafePointer<Query?>
  let now: Double
  /// The path, and the data along it.
  var place: Place
  /// The place where the running rule stands: the number of keys of the path above it.
  var depth = 0
  var stepsLeft = 0
  var decisionStepsLeft = RulesLimits.stepsPerDecisionMax
  /// Nil unless somebody wants to know what was read.
  var notes: ReadNotes?
  /// Nil unless somebody watches.
  var observation: Observation?
  /// A buffer for short paths.
  var scratch: PathScratch

  /// Calls `body` with a context at the root of the database.
  @inline(__always)
  static func with<Result>(
    auth: JSON?, nowMilliseconds: Int64, query: Query?, old: Node, new: Node,
    _ body: (consuming EvaluationContext) -> Result
  ) -> Result {
    withUnsafePointer(to: auth) { auth in
      withUnsafePointer(to: query) { query in
        withUnsafeTemporaryAllocation(of: BorrowedNode.self, capacity: 2 * Place.memoLevels) { memo in
          withUnsafeTemporaryAllocation(byteCount: PathScratch.sizeBytes, alignment: 1) { scratch in
            withExtendedLifetime(old) {
              withExtendedLifetime(new) {
                body(
                  EvaluationContext(
                    auth: auth, now: Double(nowMilliseconds), query: query,
                    place: Place(old: BorrowedNode(old), new: BorrowedNode(new), memo: memo),
                    scratch: PathScratch(scratch)))
              }
            }
          }
        }
      }
    }
  }

  private init(
    auth: UnsafePointer<JSON?>, now: Double, query: UnsafePointer<Query?>, place: consuming Place,
    scratch: PathScratch
  ) {
    authPlace = auth
    queryPlace = query
    self.now = now
    self.place = place
    self.scratch = scratch
  }

  /// What rules see as `auth`, where it lies.
  var auth: UnsafePointer<JSON?> { authPlace }

  /// What rules see as `query`.
  var query: QueryView { QueryView(queryPlace) }

  /// Returns true when what a chain reads is to be noted.
  func notes(_ chain: borrowing SnapshotChain) -> Bool {
    // A chain that goes up may come out of what the write replaces.
    if let notes, chain.base == .root || depth - chain.parentCount < notes.ownDepth { return true }
    return observation != nil
  }

  /// Returns true when a place is at or below what the write replaces on this path.
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

/// What a decision read, for whoever wants to decide again only when that changes.
final class ReadNotes {
  /// Of the tree before a write; for a read, of the tree as it is.
  var before: ReadDependencies
  /// Of the tree after a write. Nil for a read.
  var after: ReadDependencies?
  /// Places of a write further down count as the place at this depth above them.
  let ownDepthMax: Int
  /// From this depth on the path leads into what the write replaces. What is read there is not noted.
  var ownDepth = Int.max
  /// What is read in what the write replaces is noted too.
  var notesOwn = false

  /// For a read.
  init(_ before: ReadDependencies = ReadDependencies()) {
    self.before = before
    ownDepthMax = .max
  }

  /// For a write: what was read so far of the trees before and after it.
  init(before: ReadDependencies, after: ReadDependencies, ownDepthMax: Int) {
    self.before = before
    self.after = after
    self.ownDepthMax = ownDepthMax
  }
}

/// Room for the bytes of short paths, used from its beginning on: a path within a path takes what is left.
struct PathScratch {
  static let sizeBytes = 512
  private let bytes: UnsafeMutableRawBufferPointer
  /// Bytes in use.
  private(set) var end = 0

  init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

  /// False when there is no room for so many more.
  mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
    guard more.count <= bytes.count - end else { return false }
    UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyMemory(from: more)
    end += more.count
    return true
  }

  /// What was appended since.
  func bytes(from start: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[start..<end]) }

  /// Gives back what was appended since.
  mutating func cut(to start: Int) { end = start }
}
