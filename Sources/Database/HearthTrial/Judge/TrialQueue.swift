import HearthEngine

/// A queue of decisions that wait to be judged, bounded in number and in bytes.
///
/// A decision retains the version of the tree that it was made on, so data that was replaced since then counts as well.
/// When the queue exceeds its limit, the oldest decisions are dropped, because they retain the most.
public struct TrialQueue: Sendable {
  private struct Entry {
    var decided: RecordedDecision
    /// The value of ``replacedBytes`` when the decision arrived.
    var replacedBytes: Int
  }

  /// The minimum size of one decision in bytes.
  static let caseBytes = 512

  private let limits: TrialLimits
  /// The entries; those before ``head`` have been taken.
  private var entries: [Entry?] = []
  private var head = 0
  private var replacedBytes = 0
  private var carriedBytes = 0
  /// The number of decisions dropped since the start of the trial.
  public private(set) var droppedCount = 0

  /// Creates an empty queue.
  public init(limits: TrialLimits) { self.limits = limits }

  /// The number of waiting decisions.
  public var count: Int { entries.count - head }

  /// The approximate bytes that waiting decisions retain.
  public var sizeBytes: Int {
    guard head < entries.count, let oldest = entries[head] else { return 0 }
    return carriedBytes + replacedBytes - oldest.replacedBytes
  }

  /// Appends decisions, as many as there is room for.
  ///
  /// - Returns: The dropped oldest decisions. The caller should release them off any time-critical queue, because their
  ///   trees may be large.
  @discardableResult
  public mutating func append(_ decided: RecordedDecisions) -> [RecordedDecision] {
    droppedCount += decided.unrecordedCount
    for decidedCase in decided.cases {
      guard count < limits.waitingCountMax else {
        droppedCount += 1
        continue
      }
      carriedBytes += Self.caseBytes + decidedCase.sizeBytes
      entries.append(Entry(decided: decidedCase, replacedBytes: replacedBytes))
    }
    replacedBytes += decided.replacedBytes
    var dropped: [RecordedDecision] = []
    while sizeBytes > limits.waitingBytesMax, let oldest = popFirst() { dropped.append(oldest) }
    droppedCount += dropped.count
    // Without waiting decisions, no replaced data is retained.
    if count == 0 { replacedBytes = 0 }
    return dropped
  }

  /// Removes and returns the oldest decision.
  public mutating func popFirst() -> RecordedDecision? {
    guard head < entries.count, let entry = entries[head] else { return nil }
    entries[head] = nil
    head += 1
    carriedBytes -= Self.caseBytes + entry.decided.sizeBytes
    // Compacts the array at half its size, so that the cost is proportional to the number of removed entries.
    if head * 2 >= entries.count {
      entries.removeFirst(head)
      head = 0
    }
    return entry.decided
  }

  /// Removes and returns all decisions.
  public mutating func removeAll() -> [RecordedDecision] {
    defer { (entries, head, carriedBytes, replacedBytes) = ([], 0, 0, 0) }
    return entries[head...].compactMap { $0?.decided }
  }
}
