import HearthJournal
import HearthSQLite

/// A journal with outbox entries, which are appended with their commits and change independently later.
final class OutboxFiles: SteppedFiles {
  private enum Step: String, CaseIterable {
    case append = "append, two entries"
    case appendLarge = "append, large entries"
    case done = "settle: done"
    case later = "settle: later and dead"
    case appendMore = "append, one queue more"
    case snapshot, prune
    case giveUp = "give up"
    case revive
    case settleMany = "settle: many"
    case removeDead = "remove dead ones"
    case restart
    case appendLast = "append, then"
    case plain = "append, no entry"
  }

  static let steps = Step.allCases.map(\.rawValue)

  private let path: String
  private var journal: SQLiteJournal
  private var head: JournalHead

  init(folder: String) throws {
    path = folder + "/o.sqlite"
    (journal, head) = try Self.open(path)
  }

  private static func open(_ path: String) throws -> (SQLiteJournal, JournalHead) {
    let journal = try SQLiteJournal(path: path, options: SQLiteJournal.Options(checkpointBytes: 40_000))
    if let damage = journal.recovery.damages.first(where: { !$0.isUnfinishedCommit }) {
      throw JournalError(.corrupt, "damage is found: \(damage)")
    }
    return (journal, try journal.acquire())
  }

  func perform(_ step: Int) throws {
    do {
      try perform(Step.allCases[step])
    } catch let error as JournalError {
      throw StepFailure(outcome: DiskOutcome(error), reason: "\(error)")
    }
  }

  private func perform(_ step: Step) throws {
    switch step {
    case .append: try append(["a", "a"], sizeBytes: 60)
    case .appendLarge: try append(["a", "b", "b"], sizeBytes: 9_000)
    case .done: try journal.settle([("a", place(1, 0), .done)])
    case .later:
      try journal.settle([
        ("a", place(1, 1), .waits(attemptCount: 2, dueMilliseconds: 700)),
        ("b", place(2, 1), .dead(reason: "refused", milliseconds: 800)),
      ])
    case .appendMore: try append(["b", "c"], sizeBytes: 300)
    case .snapshot:
      try journal.takeSnapshot(at: head.position)
    case .prune: try journal.prune()
    case .giveUp: _ = try journal.giveUp("b", reason: "the trigger is gone", milliseconds: 900)
    case .revive: _ = try journal.revive("b", at: nil, countMax: 2)
    case .settleMany:
      try journal.settle([
        ("a", place(2, 0), .done), ("b", place(2, 2), .dead(reason: "refused again", milliseconds: 1_000)),
        ("c", place(3, 1), .waits(attemptCount: 1, dueMilliseconds: 1_100)),
      ])
    case .removeDead: _ = try journal.removeDeadEntries(of: "b", beforeMilliseconds: 950, sizeBytesMax: 1 << 20)
    case .restart:
      try journal.close()
      (journal, head) = try Self.open(path)
    case .appendLast: try append(["a"], sizeBytes: 2_000)
    case .plain: try append([], sizeBytes: 0)
    }
  }

  private func place(_ position: Int64, _ ordinal: Int32) -> OutboxPlace {
    OutboxPlace(position: position, ordinal: ordinal)
  }

  private func append(_ queues: [String], sizeBytes: Int) throws {
    let position = head.position + 1
    let entries = queues.enumerated().map { ordinal, queue in
      OutboxEntry(
        queue: queue, place: place(position, Int32(ordinal)), lane: "lane \(ordinal % 2)", milliseconds: position * 100,
        content: (0..<sizeBytes).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ ordinal &+ Int(position)) })
    }
    let batch = JournalBatch(firstPosition: position, lastPosition: position, payload: [UInt8](repeating: 5, count: 90))
    head = try journal.append(batch, with: entries, after: head)
  }

  func state() throws -> String {
    var lines = ["log up to \(head.position)"]
    for queue in try journal.outboxQueues().sorted() {
      let waiting = try journal.waitingEntries(of: queue, after: nil, countMax: 100)
      let contents = try journal.waitingContents(of: queue, at: waiting.map(\.place))
      for entry in waiting {
        let content = contents[entry.place].map { "\($0.count) \($0.last ?? 0)" } ?? "nothing"
        lines.append(
          "\(queue) \(entry.place.position).\(entry.place.ordinal) \(entry.lane) waits: \(entry.attemptCount) attempts, due "
            + "\(entry.dueMilliseconds), \(content)")
      }
      let dead = try journal.deadEntries(of: queue, after: nil, countMax: 100)
      for entry in dead {
        let content = try journal.deadEntry(of: queue, at: entry.place)?.content ?? []
        lines.append(
          "\(queue) \(entry.place.position).\(entry.place.ordinal) dead since \(entry.deadMilliseconds): \(entry.reason), "
            + "\(content.count) \(content.last ?? 0)")
      }
      let figures = try journal.outboxFigures(of: queue)
      if figures.waitingCount != waiting.count || figures.deadCount != dead.count {
        lines.append("\(queue): \(figures)")
      }
    }
    return lines.joined(separator: "; ")
  }

  func close() { try? journal.close() }
}

extension DiskOutcome {
  /// The outcome that a journal's error states.
  init(_ error: JournalError) {
    self =
      switch error.code {
      case .noSpace: .refused
      case .failed, .closed, .snapshotAbandoned, .inUse: .stopped
      default: .unknown
      }
  }
}
