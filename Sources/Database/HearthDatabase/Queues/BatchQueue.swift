import Dispatch
import HearthEngine
import HearthJournal
import Synchronization

/// The queue between the deciding queue, which appends batches and blocks while too many are pending, and the journal
/// queue, which makes them durable.
final class BatchQueue: Sendable {
  /// The next work of a retry.
  enum Retry {
    /// No batch waits for free disk space.
    case nothing
    /// The batches to store.
    case group([Batch])
    /// All batches are stored: the stall has ended.
    case resumed(Stall)
  }

  let pipeline: Mutex<Pipeline>
  private let limits: DatabaseLimits
  /// Signalled when ``Pipeline`` accepts batches again.
  private let room = DispatchSemaphore(value: 0)

  init(_ pipeline: Pipeline, limits: DatabaseLimits) {
    self.pipeline = Mutex(pipeline)
    self.limits = limits
  }

  var status: DatabaseStatus { pipeline.withLock { $0.status } }

  var isRunning: Bool { status == .running }

  /// The number of effects of the newest waiting batches, which are not delivered yet.
  var waitingEffectCount: Int {
    pipeline.withLock { $0.waiting.suffix(Self.countedBatchesMax).reduce(0) { $0 + $1.effects.count } }
  }

  /// The maximum number of batches in ``waitingEffectCount``, which is read for each batch.
  private static let countedBatchesMax = 16

  /// The size limit of one append, in bytes: the limit of waiting bytes plus one record of the maximum size.
  private var groupBytesMax: Int { limits.bytesPendingMax + limits.engine.recordBytesMax }

  // MARK: The deciding queue

  /// Appends a batch.
  ///
  /// - Parameter turn: The time to deliver the effects of a batch without commits while other batches wait for free
  ///   disk space.
  /// - Returns: True when the journal queue must be woken.
  func append(_ batch: Batch, _ turn: Stall.DeliveryOrder) -> Bool {
    pipeline.withLock { pipeline in
      pipeline.append(batch, turn)
      defer { pipeline.isAwake = true }
      return !pipeline.isAwake
    }
  }

  /// Blocks the deciding queue while the disk is too far behind. Does not block during a stall: then no command is
  /// decided that would have to wait.
  func waitForRoom() {
    let isFull = pipeline.withLock { pipeline in
      let isBehind =
        pipeline.waiting.count >= limits.batchesPendingMax || pipeline.waitingBytes >= limits.bytesPendingMax
      pipeline.isFull = isBehind && pipeline.stall == nil
      return pipeline.isFull
    }
    if isFull { room.wait() }
  }

  private func signalRoom(_ pipeline: inout Pipeline) {
    guard pipeline.isFull else { return }
    pipeline.isFull = false
    room.signal()
  }

  // MARK: The journal queue

  /// Removes and returns the next batches to make durable, and the early effects, which are delivered before them; both
  /// are empty when there is no work.
  func take() -> (early: [Effect], batches: [Batch], status: DatabaseStatus, isInDoubt: Bool) {
    pipeline.withLock { pipeline in
      let (early, batches) = (pipeline.early, pipeline.take(sizeBytesMax: groupBytesMax))
      pipeline.early = []
      pipeline.isAwake = !batches.isEmpty || !early.isEmpty
      signalRoom(&pipeline)
      return (early, batches, pipeline.status, pipeline.isInDoubt)
    }
  }

  /// Puts batches back that could not be stored, and begins a stall.
  ///
  /// - Parameter now: The time on the monotonic clock.
  /// - Returns: The delay of the first retry, and whether the operator is to be notified.
  func stall(
    _ batches: [Batch], _ error: JournalError, at now: Int64
  ) -> (delayMilliseconds: Int64, isNoticed: Bool) {
    let delay = limits.appendRetryMillisecondsMin
    return pipeline.withLock { pipeline in
      pipeline.putBack(batches)
      // The database was closed meanwhile, and closing refuses the waiting batches.
      guard pipeline.status == .running else { return (delay, false) }
      pipeline.status = .stalled(error)
      pipeline.isInDoubt = error.leavesOutcomeUnknown
      let isNoticed = pipeline.isStallNoticeDue(at: now, limits)
      var stall = Stall(
        sinceMonotonicMilliseconds: now, delayMilliseconds: delay, isNoticed: isNoticed, groupCount: batches.count)
      for batch in pipeline.waiting { stall.addRecipients(of: batch.effects) }
      pipeline.stall = stall
      // Wakes the deciding queue: during a stall it no longer blocks here.
      signalRoom(&pipeline)
      return (delay, isNoticed)
    }
  }

  /// Removes and returns the batches to retry, and accepts writes again once there are none.
  func takeRetry() -> Retry {
    pipeline.withLock { pipeline in
      guard let stall = pipeline.stall else { return .nothing }
      let batches = pipeline.take(sizeBytesMax: groupBytesMax, isRetry: true)
      guard batches.isEmpty else { return .group(batches) }
      pipeline.stall = nil
      pipeline.status = .running
      return .resumed(stall)
    }
  }

  /// Records that a retried group is durable.
  func storedRetry() {
    pipeline.withLock { pipeline in
      pipeline.stall?.groupCount = nil
      pipeline.isInDoubt = false
    }
  }

  /// Puts batches of a failed retry back.
  ///
  /// - Parameter now: The time on the monotonic clock.
  /// - Returns: The delay of the next retry, whether the operator is to be notified, and whether one-off requests have
  ///   waited for ``DatabaseLimits/stallAnswerSeconds``.
  func putBackRetry(
    _ batches: [Batch], _ error: JournalError, at now: Int64
  ) -> (delayMilliseconds: Int64, isNoticed: Bool, isLong: Bool) {
    pipeline.withLock { pipeline in
      pipeline.putBack(batches)
      guard var stall = pipeline.stall else { return (0, false, false) }
      pipeline.status = .stalled(error)
      // The outcome stays in doubt after an earlier attempt left it so, regardless of this attempt's error.
      pipeline.isInDoubt = pipeline.isInDoubt || error.leavesOutcomeUnknown
      stall.groupCount = batches.count
      stall.delayMilliseconds = min(stall.delayMilliseconds * 2, limits.appendRetryMillisecondsMax)
      let isNoticed = pipeline.isStallNoticeDue(at: now, limits)
      stall.isNoticed = stall.isNoticed || isNoticed
      pipeline.stall = stall
      let isLong = now - stall.sinceMonotonicMilliseconds >= limits.stallAnswerSeconds * 1_000
      return (stall.delayMilliseconds, isNoticed, isLong)
    }
  }

  /// Removes the waiting replies to one-off requests, and returns replies that their outcome is unknown instead.
  ///
  /// - Parameter connections: The connections whose requests go on waiting.
  func takeOneOffReplies(except connections: Set<ConnectionID>) -> [Effect] {
    var answers: [Effect] = []
    pipeline.withLock { pipeline in
      for index in pipeline.waiting.indices {
        pipeline.waiting[index].effects.removeAll { effect in
          guard case .reply(let id, let request, let reply) = effect, !connections.contains(id) else { return false }
          answers.append(.reply(id, request: request, .failure(reply.isDone ? .outcomeUnknown : .unavailable)))
          return true
        }
      }
    }
    return answers
  }

  /// Stores no batches from now on, because pages cannot be read or written.
  ///
  /// - Returns: False when the database was halted or closed before.
  func halt(_ error: JournalError) -> Bool {
    pipeline.withLock { pipeline in
      switch pipeline.status {
      case .halted, .closed: return false
      case .running, .stalled: break
      }
      (pipeline.status, pipeline.stall) = (.halted(error), nil)
      return true
    }
  }

  /// Stores no batches from now on.
  func end(as status: DatabaseStatus) {
    pipeline.withLock { pipeline in
      pipeline.status = status
      pipeline.stall = nil
    }
  }
}

extension Pipeline {
  /// Returns true when the next log entry about the stall is due, and records the time.
  fileprivate mutating func isStallNoticeDue(at now: Int64, _ limits: DatabaseLimits) -> Bool {
    if let last = stallNoticeMonotonicMilliseconds, now - last < limits.stallNoticeSeconds * 1_000 { return false }
    stallNoticeMonotonicMilliseconds = now
    return true
  }
}
