import HearthEngine

/// Decisions that wait to be judged, bounded in number and in bytes.
///
/// A decision keeps the tree of its moment in memory: what was replaced since then counts as well. When all of them
/// together hold too much, the oldest go, which hold the most.
public struct CaseQueue: Sendable {
  private struct Entry {
    var decided: DecidedCase
    /// What had been replaced when it came.
    var replacedBytes: Int
  }

  /// What one decision takes at least.
  static let caseBytes = 512

  private let limits: TrialLimits
  /// Those before ``head`` are spent.
  private var entries: [Entry?] = []
  private var head = 0
  private var replacedBytes = 0
  private var carriedBytes = 0
  /// Decisions that were not kept for judging, since the beginning.
  public private(set) var droppedCount = 0

  /// Nothing waits.
  public init(limits: TrialLimits) { self.limits = limits }

  /// How many wait.
  public var count: Int { entries.count - head }

  /// What they hold, about.
  public var sizeBytes: Int {
    guard head < entries.count, let oldest = entries[head] else { return 0 }
    return carriedBytes + replacedBytes - oldest.replacedBytes
  }

  /// Takes decisions in, as many as there is room for.
  ///
  /// - Returns: The oldest, where these had to go: to be let go of where nobody waits, since the trees that they hold may
  ///   be large.
  @discardableResult
  public mutating func append(_ decided: DecidedCases) -> [DecidedCase] {
    droppedCount += decided.unkeptCount
    for decidedCase in decided.cases {
      guard count < limits.waitingCountMax else {
        droppedCount += 1
        continue
      }
      carriedBytes += Self.caseBytes + decidedCase.sizeBytes
      entries.append(Entry(decided: decidedCase, replacedBytes: replacedBytes))
    }
    replacedBytes += decided.replacedBytes
    var dropped: [DecidedCase] = []
    while sizeBytes > limits.waitingBytesMax, let oldest = popFirst() { dropped.append(oldest) }
    droppedCount += dropped.count
    // Nobody waits, so that nothing is held.
    if count == 0 { replacedBytes = 0 }
    return dropped
  }

  /// Takes the oldest out.
  public mutating func popFirst() -> DecidedCase? {
    guard head < entries.count, let entry = entries[head] else { return nil }
    entries[head] = nil
    head += 1
    carriedBytes -= Self.caseBytes + entry.decided.sizeBytes
    // Half of them, so that moving the others is paid for by those that are gone.
    if head * 2 >= entries.count {
      entries.removeFirst(head)
      head = 0
    }
    return entry.decided
  }

  /// Takes all of them out.
  public mutating func removeAll() -> [DecidedCase] {
    defer { (entries, head, carriedBytes, replacedBytes) = ([], 0, 0, 0) }
    return entries[head...].compactMap { $0?.decided }
  }
}
