import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

@Suite struct ArchiveTests {
  private func links(_ view: any JournalView, after position: Int64 = 0) throws -> [JournalLink] {
    var links: [JournalLink] = []
    try view.forEachLink(after: position) { link in
      links.append(link)
      return true
    }
    return links
  }

  private func snapshot(_ journal: SQLiteJournal, at position: Int64, _ content: [UInt8]) throws {
    let ticket = try journal.beginSnapshot(at: position)
    for byte in content { try journal.appendSnapshotChunk([byte, byte], to: ticket) }
    _ = try journal.completeSnapshot(ticket)
    try journal.prune()
  }

  @Test func `a view shows one moment, whatever the owner does`() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file("a.sqlite"))
    let archive = SQLiteJournals(folder: folder.path)
    var head = try journal.appendBatches(3, after: try journal.acquire())
    try snapshot(journal, at: 2, [7, 8])
    let view = try archive.view("a")
    let (seen, kept) = (head, try links(view))
    head = try journal.appendBatches(20, after: head, sizeBytes: 50_000)
    try snapshot(journal, at: head.position, [9])
    #expect(view.head == seen)
    #expect(view.snapshot?.position == 2 && view.snapshot?.chunkCount == 2)
    #expect(try view.snapshotChunk(1) == [8, 8])
    #expect(try links(view) == kept && kept.map(\.batch.lastPosition) == [3])
    let hash = try #require(view.snapshot?.runningHash)
    #expect(kept[0].follows(2, hash) && !kept[0].follows(1, hash) && kept[0].runningHash == seen.runningHash)
    view.close()
    let later = try archive.view("a")
    #expect(later.head == head && later.snapshot?.position == head.position)
    later.close()
    try journal.close()
    let stopped = try archive.view("a")
    #expect(stopped.head == head)
    stopped.close()
  }

  @Test func `an owner that closes while somebody looks leaves everything, and the next one finds it`() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file("a.sqlite"))
    let head = try journal.appendBatches(5, after: try journal.acquire())
    let view = try SQLiteJournals(folder: folder.path).view("a")
    try journal.close()
    #expect(try links(view).count == 5)
    view.close()
    let next = try SQLiteJournal(path: folder.file("a.sqlite"))
    #expect(next.recovery.damages.isEmpty)
    #expect(try next.acquire().runningHash == head.runningHash)
  }

  @Test func `a journal that is made anew is the same one`() throws {
    let folder = try JournalFolder()
    let archive = SQLiteJournals(folder: folder.path)
    let journal = try SQLiteJournal(path: folder.file("a.sqlite"))
    var head = try journal.appendBatches(3, after: try journal.acquire())
    try snapshot(journal, at: 3, [1, 2, 3])
    head = try journal.appendBatches(4, after: head)
    let view = try archive.view("a")
    defer { view.close() }
    let info = try #require(view.snapshot)
    let made = try archive.restoration("b")
    try made.begin(at: info.position, runningHash: info.runningHash)
    for index in 0..<info.chunkCount { try made.append(chunk: try view.snapshotChunk(index)) }
    let kept = try links(view)
    for link in kept { try made.append(link) }
    #expect(throws: JournalError.self) { try made.append(kept[0]) }
    #expect(try made.complete(epoch: 9) == JournalHead(epoch: 9, position: 7, runningHash: head.runningHash))
    #expect(throws: JournalError.self) { _ = try archive.restoration("b") }
    let other = try SQLiteJournal(path: folder.file("b.sqlite"))
    #expect(try other.acquire() == JournalHead(epoch: 10, position: 7, runningHash: head.runningHash))
    #expect(try other.currentSnapshot()?.runningHash == info.runningHash)
    #expect(try other.allBatches(after: 3) == journal.allBatches(after: 3))
  }

  @Test func `a batch that is another one is not taken`() throws {
    let folder = try JournalFolder()
    let journal = try SQLiteJournal(path: folder.file("a.sqlite"))
    _ = try journal.appendBatches(2, after: try journal.acquire())
    let archive = SQLiteJournals(folder: folder.path)
    let view = try archive.view("a")
    defer { view.close() }
    var kept = try links(view)
    kept[1].batch.payload[0] ^= 1
    let made = try archive.restoration("b")
    try made.append(kept[0])
    #expect(throws: JournalError.self) { try made.append(kept[1]) }
  }

  @Test func `a view of a file that lost what was acknowledged, or is none of ours, is refused`() throws {
    let folder = try JournalFolder()
    let archive = SQLiteJournals(folder: folder.path)
    let journal = try SQLiteJournal(path: folder.file("a.sqlite"))
    let head = try journal.appendBatches(1, after: try journal.acquire())
    try journal.close()
    let earlier = try folder.bytes("a.sqlite")
    let next = try SQLiteJournal(path: folder.file("a.sqlite"))
    _ = try next.appendBatches(
      2, after: JournalHead(epoch: try next.acquire().epoch, position: 1, runningHash: head.runningHash))
    try next.close()
    try folder.write(earlier, "a.sqlite")
    #expect(throws: JournalError(.corrupt, "")) { try archive.view("a") }
    try folder.write(Array("no database at all, but a text of some length that is none".utf8), "b.sqlite")
    #expect(throws: JournalError.self) { try archive.view("b") }
    #expect(throws: JournalError.self) { try archive.view("c") }
    #expect(!folder.exists("c.sqlite"))
  }
}
