import HearthEngine
import HearthJournal

/// The retries of appends that failed because the disk is full or the journal's storage engine cannot be reached.
/// Meanwhile decided batches wait, and further changes are refused. Runs on the journal queue.
///
/// Undoing the decided batches is not possible: listens were decided and query windows updated on top of them, and
/// permissions were revoked. The batches are stored later, in order, so that each takes effect as it was decided.
enum AppendRetry {
  /// Keeps batches that could not be stored, and schedules a retry.
  static func begin(_ batches: [Batch], _ error: JournalError, of writer: BatchWriter) {
    let (delay, isNoticed) = writer.batches.stall(batches, error, at: writer.now)
    if isNoticed { writer.environment.notice(.stalled(error)) }
    schedule(afterMilliseconds: delay, of: writer)
  }

  private static func schedule(afterMilliseconds delay: Int64, of writer: BatchWriter) {
    writer.environment.schedule(delay) { [weak writer] in
      guard let writer else { return }
      writer.queue.async { storeWaiting(of: writer) }
    }
  }

  /// Retries storing the batches that wait for free disk space, and accepts writes again once all of them are stored.
  static func storeWaiting(of writer: BatchWriter) {
    while true {
      switch writer.batches.takeRetry() {
      // The waiting batches are refused when the database was halted meanwhile.
      case .nothing: return writer.writeWaiting()
      case .resumed(let stall): return resume(writer, after: stall)
      case .group(let batches):
        do throws(JournalError) {
          try writer.store(batches)
          writer.batches.storedRetry()
          writer.deliver(batches)
        } catch {
          if error.isTransient { return keep(batches, error, of: writer) }
          writer.halt(batches, error)
          return writer.writeWaiting()
        }
      }
    }
  }

  private static func resume(_ writer: BatchWriter, after stall: Stall) {
    if stall.isNoticed {
      let milliseconds = max(0, writer.now - stall.sinceMonotonicMilliseconds)
      writer.environment.notice(.resumed(afterMilliseconds: milliseconds))
    }
    // Wakes the deciding queue, so that it ends the connections that were closed during the wait.
    writer.delegate?.submit(.tick)
  }

  /// Keeps batches of a failed retry, and schedules the next one.
  private static func keep(_ batches: [Batch], _ error: JournalError, of writer: BatchWriter) {
    let (delay, isNoticed, isLong) = writer.batches.putBackRetry(batches, error, at: writer.now)
    if isNoticed { writer.environment.notice(.stalled(error)) }
    if isLong { answerOneOffs(of: writer) }
    schedule(afterMilliseconds: delay, of: writer)
  }

  /// Answers one-off requests that their outcome is unknown. Clients with a connection keep waiting, as they do without
  /// a network, and are answered once their batch is stored.
  private static func answerOneOffs(of writer: BatchWriter) {
    guard let delegate = writer.delegate else { return }
    writer.deliver(writer.batches.takeOneOffReplies(except: delegate.connectionIDs))
  }
}
