import HearthPlugin
import Synchronization

/// Sends the records of the audit trail to the audit-sink plugins, in order for each.
///
/// Recording never waits for it. A slow or failed sink has a queue of its own; records that do not fit are counted and
/// dropped, and the operator is notified.
package final class AuditFeed: Sendable {
  /// The maximum number of records in a sink's queue.
  static let waitingMax = 10_000
  /// The largest text of a sink's queue, in bytes.
  static let waitingBytesMax = 8 << 20
  /// The pause before a record is sent again; it doubles with each attempt.
  static let pauseMilliseconds: Int64 = 500
  /// The longest such wait.
  static let pauseMillisecondsMax: Int64 = 30_000
  /// The time that a stopping server waits for the queues.
  static let finishMilliseconds: Int64 = 2_000
  static let pollMilliseconds: Int64 = 20
  /// The shortest time between two notices about dropped records.
  static let noticeMilliseconds: Int64 = 60_000

  private struct SinkQueue {
    var waiting: [AuditEntry] = []
    var head = 0
    var bytes = 0
    var isSending = false
    /// The records dropped since the last notice.
    var droppedCount = 0
    var lastNoticeMilliseconds: Int64?

    /// The number of records that are lost when sending stops.
    var lostCount: Int { waiting.count - head + droppedCount }
  }

  private let waitingMax: Int
  private let sinks: @Sendable () -> [any AuditSink]
  private let pause: @Sendable (_ milliseconds: Int64) async -> Void
  private let nowMilliseconds: @Sendable () -> Int64
  private let notice: @Sendable (AccountsNotice) -> Void
  private let queues = Mutex<[String: SinkQueue]>([:])

  /// - Parameters:
  ///   - waitingMax: the length of a sink's queue.
  ///   - sinks: those that are switched on.
  ///   - pause: waits for a time.
  ///   - nowMilliseconds: the monotonic clock.
  init(
    waitingMax: Int = AuditFeed.waitingMax, sinks: @escaping @Sendable () -> [any AuditSink],
    pause: @escaping @Sendable (_ milliseconds: Int64) async -> Void,
    nowMilliseconds: @escaping @Sendable () -> Int64, notice: @escaping @Sendable (AccountsNotice) -> Void
  ) {
    self.waitingMax = waitingMax
    self.sinks = sinks
    self.pause = pause
    self.nowMilliseconds = nowMilliseconds
    self.notice = notice
  }

  /// Adds records that have become durable. Returns at once.
  func add(_ records: [AuditRecord]) {
    let sinks = sinks()
    guard !sinks.isEmpty else { return }
    let entries = records.compactMap { AuditEntry($0) }
    for sink in sinks {
      let isFirst = queues.withLock { queues -> Bool in
        for entry in entries { append(entry, in: &queues[sink.name, default: SinkQueue()]) }
        defer { queues[sink.name]?.isSending = true }
        return queues[sink.name]?.isSending == false
      }
      notifyOfDropped(of: sink.name)
      if isFirst { Task(executorPreference: AccountsExecutor.shared) { await self.send(to: sink.name) } }
    }
  }

  private func append(_ entry: AuditEntry, in queue: inout SinkQueue) {
    let bytes = entry.textBytes
    guard queue.waiting.count - queue.head < waitingMax, queue.bytes + bytes <= Self.waitingBytesMax else {
      queue.droppedCount += 1
      return
    }
    queue.waiting.append(entry)
    queue.bytes += bytes
  }

  // MARK: Sending

  private func send(to name: String) async {
    while let entry = next(of: name) {
      guard let sink = sinks().first(where: { $0.name == name }) else { return drop(name) }
      if await send(entry, to: sink) { done(entry, of: name) }
    }
  }

  /// - Returns: False when the sink is not switched on any more; the record stays.
  private func send(_ entry: AuditEntry, to sink: any AuditSink) async -> Bool {
    var wait = Self.pauseMilliseconds
    while true {
      let outcome = await Deadline.run(milliseconds: ActivePlugins.timeoutMilliseconds) {
        () -> AuditSinkError? in
        do {
          try await sink.record(entry)
          return nil
        } catch let error as AuditSinkError {
          return error
        } catch {
          return AuditSinkError("failed", isTemporary: false)
        }
      }
      let failure: AuditSinkError?
      switch outcome {
      case .some(let answered): failure = answered
      // A time-out counts as a temporary failure.
      case nil: failure = AuditSinkError("did not answer in time", isTemporary: true)
      }
      guard let error = failure else { return true }
      guard error.isTemporary else {
        notice(AccountsNotice(.error, "audit sink \(sink.name) refused record \(entry.sequence): \(error)"))
        return true
      }
      await pause(wait)
      wait = min(wait * 2, Self.pauseMillisecondsMax)
      guard sinks().contains(where: { $0.name == sink.name }) else { return false }
    }
  }

  private func next(of name: String) -> AuditEntry? {
    queues.withLock { queues in
      guard let queue = queues[name], queue.head < queue.waiting.count else {
        queues[name]?.isSending = false
        return nil
      }
      return queue.waiting[queue.head]
    }
  }

  private func done(_ entry: AuditEntry, of name: String) {
    queues.withLock { queues in
      guard var queue = queues.removeValue(forKey: name) else { return }
      queue.head += 1
      queue.bytes -= entry.textBytes
      if queue.head == queue.waiting.count || queue.head >= 1_024 {
        queue.waiting.removeFirst(queue.head)
        queue.head = 0
      }
      queues[name] = queue
    }
  }

  /// Drops a removed sink, and its queue.
  private func drop(_ name: String) {
    let count = queues.withLock { queues -> Int in
      guard let queue = queues.removeValue(forKey: name) else { return 0 }
      return queue.lostCount
    }
    guard count > 0 else { return }
    notice(AccountsNotice(.warning, "audit sink \(name) is disabled: \(count) records were not sent"))
  }

  private func notifyOfDropped(of name: String) {
    let now = nowMilliseconds()
    let count = queues.withLock { queues -> Int in
      guard let queue = queues[name], queue.droppedCount > 0,
        queue.lastNoticeMilliseconds.map({ now - $0 >= Self.noticeMilliseconds }) ?? true
      else { return 0 }
      queues[name]?.lastNoticeMilliseconds = now
      queues[name]?.droppedCount = 0
      return queue.droppedCount
    }
    guard count > 0 else { return }
    notice(
      AccountsNotice(
        .error, "audit sink \(name) is too slow: \(count) records were not sent; the server's audit trail has them"))
  }

  /// The number of queued records of all sinks.
  var waitingCount: Int { queues.withLock { $0.values.reduce(0) { $0 + $1.waiting.count - $1.head } } }

  /// Waits for the queues, with a time limit, and reports the lost records to the operator.
  func finish() async {
    await Deadline.run(milliseconds: Self.finishMilliseconds) { [self] in
      while waitingCount > 0 { await pause(Self.pollMilliseconds) }
    }
    let left = queues.withLock { queues in
      defer { queues = [:] }
      return queues.mapValues(\.lostCount)
    }
    for (name, count) in left where count > 0 {
      notice(AccountsNotice(.warning, "the server stops: \(count) records were not sent to audit sink \(name)"))
    }
  }
}

extension AuditEntry {
  init?(_ record: AuditRecord) {
    let fields = record.fields
    guard let time = fields["time"]?.string, let event = fields["event"]?.string else { return nil }
    self.init(sequence: record.sequence, time: time, event: event, hash: record.hash.hex)
    project = fields["project"]?.string
    uid = fields["uid"]?.string
    email = fields["email"]?.string
    ip = fields["ip"]?.string
    userAgent = fields["userAgent"]?.string
    requestID = fields["requestId"]?.string
    detail = fields["detail"]?.string
  }

  /// Bytes of its texts.
  fileprivate var textBytes: Int {
    let texts: [String?] = [time, event, project, uid, email, ip, userAgent, requestID, detail, hash]
    return texts.reduce(64) { sum, text in sum + (text?.utf8.count ?? 0) }
  }
}
