import HearthTree

/// The reads of pages that are not in memory during one batch of an engine.
///
/// A command begins with a plan: it reads, and changes nothing. Its first change or answer ends the plan. When a read
/// has failed by then, the command is refused instead. Every other failed read makes the batch unsound. So a handler
/// that does not check for failed reads in time stops the database, and decides nothing on missing data.
struct PageReads {
  /// The state of the batch at the beginning of a plan.
  private struct Plan {
    var effectCount: Int
    var decisionCount: Int
  }

  /// The failed reads of the thread for which a command was refused, or that made the batch unsound, or that came
  /// before the batch.
  private var failedCount = 0
  /// The reads of the thread whose steps were taken, or that came before the batch.
  private var takenCount = 0
  private var plan: Plan?

  /// True when decisions or events of the batch may be wrong.
  private(set) var isUnsound = false
  /// The path of the first command that was refused; nil when none was.
  private(set) var refusedPath: Path?

  /// Begins a batch, perhaps on another thread than the one before.
  mutating func beginBatch() {
    let counts = FaultCounts.current
    self = PageReads()
    (failedCount, takenCount) = (counts.failed, counts.count)
  }

  /// True when a read has failed since the last refusal.
  var hasFailed: Bool { FaultCounts.current.failed != failedCount }

  // MARK: Plans

  /// Begins a plan. A plan under way continues.
  mutating func beginPlan(effectCount: Int, decisionCount: Int) {
    guard plan == nil else { return }
    checkSoundness()
    plan = Plan(effectCount: effectCount, decisionCount: decisionCount)
  }

  /// Ends the plan: from now on the command changes the engine.
  mutating func endPlan() { plan = nil }

  /// True while nothing depends on the plan under way, and a read has failed.
  ///
  /// - Parameter effectCount: The number of effects of the batch.
  func isRefusable(effectCount: Int) -> Bool { plan?.effectCount == effectCount && hasFailed }

  /// Ends a plan without effect because of failed reads.
  ///
  /// - Returns: The number of recorded decisions before the plan, which are to be kept.
  mutating func dropPlan(of path: Path) -> Int {
    defer { plan = nil }
    failedCount = FaultCounts.current.failed
    refusedPath = refusedPath ?? path
    return plan?.decisionCount ?? 0
  }

  /// Ignores failed reads on which no decision depends.
  mutating func ignoreFailed(_ count: Int) { failedCount &+= count }

  /// Makes the batch unsound after failed reads outside of a plan.
  mutating func checkSoundness() {
    guard hasFailed else { return }
    isUnsound = true
    failedCount = FaultCounts.current.failed
  }

  // MARK: Steps

  /// The reads of the thread so far, for ``takeSteps(since:)``.
  var count: Int { FaultCounts.current.count }

  /// Returns the steps of the reads that no other call has returned.
  mutating func takeSteps() -> Int { takeSteps(since: takenCount) }

  /// Returns the steps of the reads since ``count`` had a value.
  mutating func takeSteps(since count: Int) -> Int {
    let new = self.count &- count
    takenCount &+= new
    return EngineLimits.steps(ofReads: new)
  }
}

extension EngineLimits {
  /// Returns the steps of reading pages that are not in memory.
  static func steps(ofReads count: Int) -> Int { count * pageReadSteps }
}

extension Engine {
  /// Begins the plan of a command: see ``PageReads``.
  mutating func beginPlan() {
    reads.beginPlan(effectCount: effects.count, decisionCount: decisionRecorder?.decisionCount ?? 0)
  }

  /// Drops what was planned when a read has failed: its decisions, and what it has put into caches.
  ///
  /// - Parameter path: The path of the command.
  /// - Returns: False when nothing is to be dropped.
  mutating func dropsPlan(of path: Path) -> Bool {
    guard reads.isRefusable(effectCount: effects.count) else { return false }
    let decisionCount = reads.dropPlan(of: path)
    decisionRecorder?.forget(from: decisionCount)
    largeCommand = nil
    listens.dropUnused(at: path)
    return true
  }

  /// Refuses a planned command when a read has failed.
  ///
  /// - Returns: False when the command may go on.
  mutating func refusesUnread(_ command: Command) -> Bool {
    guard reads.isRefusable(effectCount: effects.count) else { return false }
    fail(command, .unavailable)
    return true
  }
}
