import HearthJournal

/// The conformance checks for `JournalArchive`: behavior that every journal engine must have for archives. Each
/// engine's tests run them like ``JournalConformance``.
package enum ArchiveConformance {
  /// One requirement and its check.
  package struct Check: Sendable, CustomStringConvertible {
    /// The requirement as a sentence.
    package let description: String
    private let body: @Sendable (any JournalFactory, any JournalArchive) throws -> Void

    fileprivate init(
      _ description: String, _ body: @escaping @Sendable (any JournalFactory, any JournalArchive) throws -> Void
    ) { (self.description, self.body) = (description, body) }

    /// Checks the requirement.
    ///
    /// - Parameters:
    ///   - journals: A factory without journals yet.
    ///   - archive: The archive of the same journals.
    /// - Throws: `JournalConformance.Breach` when the requirement is not met; unexpected errors of the journals.
    package func run(_ journals: any JournalFactory, _ archive: any JournalArchive) throws {
      try body(journals, archive)
    }
  }

  /// All archive checks.
  package static let checks = [
    Check("a view shows one moment, whatever the owner does") { journals, archive in
      let journal = try journals.open("a").journal
      var head = try journal.appendBatches(3, after: try journal.acquire())
      try snapshot(journal, at: 2, [7, 8])
      let view = try archive.view("a")
      let (seen, kept) = (head, try links(view))
      head = try journal.appendBatches(20, after: head, sizeBytes: 50_000)
      try snapshot(journal, at: head.position, [9])
      try JournalConformance.expect(view.head, seen, "the head")
      try JournalConformance.expect(view.snapshot?.position, 2, "the snapshot")
      try JournalConformance.expect(view.snapshot?.chunkCount, 2, "its chunks")
      try JournalConformance.expect(chunks(view).last, [8, 8], "the last of them")
      try JournalConformance.expect(links(view), kept, "the batches, once more")
      try JournalConformance.expect(kept.map(\.batch.lastPosition), [3], "where they end")
      let hash = view.snapshot?.runningHash ?? .empty
      try JournalConformance.expect(
        [kept[0].follows(2, hash), kept[0].follows(1, hash)], [true, false], "what the first batch follows")
      try JournalConformance.expect(kept[0].runningHash, seen.runningHash, "the running hash")
      view.close()
      let later = try archive.view("a")
      try JournalConformance.expect(later.head, head, "the head later")
      try JournalConformance.expect(later.snapshot?.position, head.position, "the snapshot later")
      later.close()
      try journal.close()
      let stopped = try archive.view("a")
      try JournalConformance.expect(stopped.head, head, "the head without an owner")
      stopped.close()
    },
    Check("an owner that closes while somebody looks leaves everything, and the next one finds it") {
      journals, archive in
      let journal = try journals.open("a").journal
      let head = try journal.appendBatches(5, after: try journal.acquire())
      let view = try archive.view("a")
      try journal.close()
      try JournalConformance.expect(links(view).count, 5, "the batches")
      view.close()
      let next = try journals.open("a")
      try JournalConformance.expect(next.damages, [], "what the next one finds damaged")
      try JournalConformance.expect(next.journal.acquire().runningHash, head.runningHash, "its running hash")
    },
    Check("a reading begins where it is told to, and ends when it is told to") { journals, archive in
      let journal = try journals.open("a").journal
      _ = try journal.appendBatches(50, after: try journal.acquire(), sizeBytes: 200_000)
      let view = try archive.view("a")
      defer { view.close() }
      try JournalConformance.expect(
        links(view, after: 7).map(\.batch.firstPosition), Array(8...50), "the batches after the seventh")
      try JournalConformance.expect(links(view, after: 50).count, 0, "the batches after the last")
      var count = 0
      try view.forEachLink(after: 0) { _ in
        count += 1
        return count < 3
      }
      try JournalConformance.expect(count, 3, "how many were read")
    },
    Check("a journal that is made anew is the same one, and is there when it is complete") { journals, archive in
      let journal = try journals.open("a").journal
      var head = try journal.appendBatches(3, after: try journal.acquire())
      try snapshot(journal, at: 3, [1, 2, 3])
      head = try journal.appendBatches(4, after: head)
      let view = try archive.view("a")
      defer { view.close() }
      let info = try required(view.snapshot)
      let made = try archive.restoration("b")
      try made.begin(at: info.position, runningHash: info.runningHash)
      try view.forEachChunk { try made.append(chunk: $0) }
      let kept = try links(view)
      for link in kept { try made.append(link) }
      try refused("a batch twice") { try made.append(kept[0]) }
      try JournalConformance.expect(
        made.complete(epoch: 9), JournalHead(epoch: 9, position: 7, runningHash: head.runningHash), "the new one's head"
      )
      try refused("a second one of that name") { _ = try archive.restoration("b") }
      let other = try journals.open("b").journal
      let again = try other.acquire()
      try JournalConformance.expect(
        again, JournalHead(epoch: 10, position: 7, runningHash: head.runningHash), "the head of its owner")
      try JournalConformance.expect(other.currentSnapshot()?.runningHash, info.runningHash, "its snapshot")
      try JournalConformance.expect(
        other.snapshotChunk(2, of: required(try other.currentSnapshot())), [3, 3], "the last chunk of it")
      try JournalConformance.expect(other.allBatches(after: 3), journal.allBatches(after: 3), "its batches")
      try JournalConformance.expect(other.append(.following(again), after: again).position, 8, "where it goes on")
    },
    Check("one of a snapshot alone goes on where that stands, and so does one of batches alone") { journals, archive in
      let journal = try journals.open("a").journal
      let head = try journal.appendBatches(3, after: try journal.acquire())
      let whole = try archive.view("a")
      let copy = try archive.restoration("batches")
      for link in try links(whole) { try copy.append(link) }
      whole.close()
      _ = try copy.complete(epoch: head.epoch)
      try snapshot(journal, at: 3, [1])
      let view = try archive.view("a")
      let info = try required(view.snapshot)
      let made = try archive.restoration("snapshot")
      try made.begin(at: info.position, runningHash: info.runningHash)
      try view.forEachChunk { try made.append(chunk: $0) }
      view.close()
      _ = try made.complete(epoch: head.epoch)
      for name in ["batches", "snapshot"] {
        let other = try journals.open(name).journal
        let again = try other.acquire()
        try JournalConformance.expect(
          again, JournalHead(epoch: head.epoch + 1, position: 3, runningHash: head.runningHash), "the head of \(name)")
        try JournalConformance.expect(
          other.append(.following(again), after: again).position, 4, "where \(name) goes on")
        try other.close()
        let next = try journals.open(name).journal
        try JournalConformance.expect(next.acquire().position, 4, "where \(name) ends")
        try JournalConformance.expect(
          next.allBatches(after: 3).map(\.firstPosition), [4], "the batches of \(name)")
      }
    },
    Check("a journal without a batch can be made") { journals, archive in
      _ = try archive.restoration("empty").complete(epoch: 4)
      try JournalConformance.expect(
        journals.open("empty").journal.acquire(), JournalHead(epoch: 5, position: 0, runningHash: .empty),
        "the head of an empty one")
    },
    Check("entries beside the log are seen with all that is known of them, and come into a copy as they are") {
      journals, archive in
      guard let journal = try journals.open("a").journal as? any OutboxJournal else { return }
      let places = (1...4).map { OutboxPlace(position: 1, ordinal: $0) }
      func entry(_ index: Int, _ queue: String) -> OutboxEntry {
        OutboxEntry(
          queue: queue, place: places[index], lane: "rooms/é", milliseconds: 30 + Int64(index),
          content: [UInt8](repeating: UInt8(index), count: index == 1 ? JournalLimits.readBytes : index))
      }
      var head = try journal.acquire()
      try JournalConformance.expect(entries(archive, "a"), [], "the entries of a new one")
      let all = [entry(0, "q"), entry(1, "q"), entry(2, "p"), entry(3, "q")]
      head = try journal.append(.following(head), with: all, after: head)
      try journal.settle([
        ("q", places[1], .waits(attemptCount: 4, dueMilliseconds: 99)),
        ("q", places[3], .dead(reason: "no, é", milliseconds: 77)),
      ])
      let expected = [
        (2, 0, ArchivedEntry.State.waits(dueMilliseconds: 0)), (0, 0, .waits(dueMilliseconds: 0)),
        (1, 4, .waits(dueMilliseconds: 99)), (3, 0, .dead(reason: "no, é", milliseconds: 77)),
      ].map { index, count, state in
        ArchivedEntry(
          queue: all[index].queue, place: places[index], lane: "rooms/é", milliseconds: 30 + Int64(index),
          attemptCount: count, content: all[index].content, state: state)
      }
      let view = try archive.view("a")
      try journal.settle([("q", places[0], .done)])
      let made = try archive.restoration("b")
      for link in try links(view) { try made.append(link) }
      try view.forEachEntry { try made.append($0) }
      view.close()
      _ = try made.complete(epoch: head.epoch)
      try JournalConformance.expect(entries(archive, "b"), expected, "the entries of the copy")
      guard let copy = try journals.open("b").journal as? any OutboxJournal else { return }
      _ = try copy.acquire()
      try JournalConformance.expect(
        copy.waitingEntries(of: "q", after: nil, countMax: 9).map(\.attemptCount), [0, 4], "the attempts of what waits")
      try JournalConformance.expect(
        copy.deadEntry(of: "q", at: places[3])?.reason, "no, é", "why the last was given up")
    },
    Check("a batch that is another one is not taken") { journals, archive in
      let journal = try journals.open("a").journal
      _ = try journal.appendBatches(2, after: try journal.acquire())
      let view = try archive.view("a")
      defer { view.close() }
      var kept = try links(view)
      kept[1].batch.payload[0] ^= 1
      let made = try archive.restoration("b")
      try made.append(kept[0])
      try refused("another batch") { try made.append(kept[1]) }
    },
    Check("a journal that is not there cannot be looked at") { journals, archive in
      try refused("a view of none") { _ = try archive.view("c") }
      try JournalConformance.expect(journals.names(), [], "what is there")
    },
  ]

  private static func links(_ view: any JournalView, after position: Int64 = 0) throws -> [JournalLink] {
    var links: [JournalLink] = []
    try view.forEachLink(after: position) { link in
      links.append(link)
      return true
    }
    return links
  }

  private static func chunks(_ view: any JournalView) throws -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    try view.forEachChunk { chunks.append($0) }
    return chunks
  }

  private static func entries(_ archive: any JournalArchive, _ name: String) throws -> [ArchivedEntry] {
    let view = try archive.view(name)
    defer { view.close() }
    var entries: [ArchivedEntry] = []
    try view.forEachEntry { entries.append($0) }
    return entries
  }

  private static func snapshot(_ journal: any Journal, at position: Int64, _ content: [UInt8]) throws {
    let ticket = try journal.beginSnapshot(at: position)
    for byte in content { try journal.appendSnapshotChunk([byte, byte], to: ticket) }
    _ = try journal.completeSnapshot(ticket)
    try journal.prune()
  }

  private static func required(_ snapshot: SnapshotInfo?) throws -> SnapshotInfo {
    guard let snapshot else { throw JournalConformance.Breach(description: "the journal has no snapshot") }
    return snapshot
  }

  private static func refused(_ what: String, _ body: () throws -> Void) throws {
    do { try body() } catch { return }
    throw JournalConformance.Breach(description: "\(what) is not refused")
  }
}
