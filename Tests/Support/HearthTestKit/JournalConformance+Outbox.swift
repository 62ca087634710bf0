import HearthJournal

/// Conformance checks for journals with an outbox beside the log.
extension JournalConformance {
  /// The checks of an ``HearthJournal/OutboxJournal``, beside ``checks``.
  package static let outboxChecks = [
    Check("entries are there after a restart, in order, until they are settled") { open in
      var journal = try outbox(open)
      var head = try journal.acquire()
      try expect(journal.outboxQueues(), [], "the queues of a new journal")
      try expect(journal.waitingEntries(of: "q", after: nil, countMax: 10), [], "the entries of a new journal")
      try expect(journal.outboxFigures(of: "q"), OutboxFigures(), "the figures of a new journal")
      for position in Int64(1)...3 {
        head = try journal.append(
          .following(head), with: [entry(position), entry(position, 2, queue: "other")], after: head)
      }
      try journal.close()

      journal = try outbox(open)
      _ = try journal.acquire()
      try expect(Set(journal.outboxQueues()), ["q", "other"], "the queues")
      try expect(
        journal.waitingEntries(of: "q", after: nil, countMax: 2).map(\.place), [place(1), place(2)], "the first entries"
      )
      try expect(
        journal.waitingEntries(of: "q", after: place(2), countMax: 2),
        [
          WaitingEntry(
            place: place(3), lane: "rooms/é", milliseconds: 30, attemptCount: 0, dueMilliseconds: 0, sizeBytes: 9)
        ], "the entries after the second")
      try expect(
        journal.waitingContents(of: "q", at: [place(2), place(9)]), [place(2): Array("content 2".utf8)], "the contents")
      try journal.settle([
        ("q", place(1), .done), ("q", place(2), .waits(attemptCount: 4, dueMilliseconds: 99)),
        ("q", place(3), .dead(reason: "no, é", milliseconds: 77)), ("q", place(9), .done),
      ])
      let waiting = try journal.waitingEntries(of: "q", after: nil, countMax: 10)
      try expect(waiting.map(\.attemptCount), [4], "the attempts of what waits")
      try expect(waiting.map(\.dueMilliseconds), [99], "when it is due")
      let dead = DeadEntry(
        place: place(3), lane: "rooms/é", milliseconds: 30, attemptCount: 0, deadMilliseconds: 77, reason: "no, é",
        content: Array("content 3".utf8))
      try expect(journal.deadEntry(of: "q", at: place(3)), dead, "the entry that was given up")
      try expect(journal.deadEntry(of: "q", at: place(2)), nil, "an entry that was not given up")
      try expect(
        journal.deadEntries(of: "q", after: nil, countMax: 10).map(\.content), [[]], "the contents in a list")
      try expect(journal.deadEntries(of: "q", after: place(3), countMax: 10), [], "what was given up after the last")
      var figures = OutboxFigures()
      (figures.waitingCount, figures.waitingBytes, figures.oldestMilliseconds) = (1, 9, 20)
      (figures.deadCount, figures.deadBytes) = (1, 9)
      try expect(journal.outboxFigures(of: "q"), figures, "the figures")
      try expect(journal.outboxFigures(of: "other").waitingCount, 3, "what waits in the other queue")
      try journal.close()
    },
    Check("entries that were given up wait again, with the places that they had") { open in
      let journal = try outbox(open)
      var head = try journal.acquire()
      for position in Int64(1)...4 {
        let dead = position == 4 ? "full" : nil
        head = try journal.append(.following(head), with: [entry(position, dead: dead)], after: head)
      }
      try expect(journal.giveUp("q", reason: "removed", milliseconds: 5), 3, "how many were given up")
      try expect(
        journal.deadEntries(of: "q", after: nil, countMax: 10).map(\.reason),
        ["removed", "removed", "removed", "full"],
        "the reasons")
      try expect(journal.revive("q", at: place(2), countMax: 10), 1, "how many were revived at a place")
      try expect(journal.revive("q", at: place(2), countMax: 10), 0, "how many once more")
      try expect(journal.revive("q", at: nil, countMax: 2), 2, "how many of two")
      try expect(
        journal.waitingEntries(of: "q", after: nil, countMax: 9).map(\.place.position), [1, 2, 3], "what waits")
      try expect(
        journal.removeDeadEntries(of: "q", beforeMilliseconds: 0, sizeBytesMax: 1 << 20), 0, "how many were too old")
      try expect(
        journal.removeDeadEntries(of: "q", beforeMilliseconds: 0, sizeBytesMax: 3), 1, "how many were too much")
      try expect(journal.outboxFigures(of: "q").deadCount, 0, "what is left of them")
      try journal.close()
    },
    Check("of what was given up the oldest goes first, and no more than must") { open in
      let journal = try outbox(open)
      let head = try journal.acquire()
      _ = try journal.append(.following(head), with: (1...5).map { entry(1, $0) }, after: head)
      try journal.settle(
        (1...5).map { ("q", place(1, $0), .dead(reason: "no", milliseconds: 100 - Int64($0))) })
      // Each of them has nine bytes.
      try expect(
        journal.removeDeadEntries(of: "q", beforeMilliseconds: 96, sizeBytesMax: 45), 1, "how many were from before")
      try expect(
        journal.removeDeadEntries(of: "q", beforeMilliseconds: 0, sizeBytesMax: 20), 2, "how many were too much")
      try expect(
        journal.deadEntries(of: "q", after: nil, countMax: 9).map(\.place), [place(1, 1), place(1, 2)], "what is left")
    },
    Check("an append that is refused leaves no entries") { open in
      let journal = try outbox(open)
      let head = try journal.acquire()
      let next = try journal.append(.following(head), with: [entry(1)], after: head)
      try expect(.positionMismatch, "an append in the middle") {
        _ = try journal.append(.following(head), with: [entry(1, 2)], after: head)
      }
      try expect(journal.waitingEntries(of: "q", after: nil, countMax: 9).count, 1, "what waits")
      // A duplicate entry is an error of the owner, and nothing of that append is stored.
      var isRefused = false
      do { _ = try journal.append(.following(next), with: [entry(2), entry(2)], after: next) } catch {
        isRefused = true
      }
      try expect(isRefused, true, "whether the same entry twice is refused")
      try expect(journal.waitingEntries(of: "q", after: nil, countMax: 9).count, 1, "what waits after that")
      try expect(journal.allBatches().count, 1, "the batches")
    },
  ]

  private static func outbox(_ open: Opening) throws -> any OutboxJournal {
    let journal = try open()
    guard let outbox = journal as? any OutboxJournal else { throw Breach(description: "it keeps no entries") }
    return outbox
  }

  private static func entry(
    _ position: Int64, _ ordinal: Int32 = 1, queue: String = "q", dead: String? = nil
  ) -> OutboxEntry {
    OutboxEntry(
      queue: queue, place: place(position, ordinal), lane: "rooms/é", milliseconds: position * 10,
      content: Array("content \(position)".utf8), deadReason: dead)
  }

  private static func place(_ position: Int64, _ ordinal: Int32 = 1) -> OutboxPlace {
    OutboxPlace(position: position, ordinal: ordinal)
  }
}
