import HearthJournal
import HearthTestKit
import Testing

@testable import HearthSQLite

@Suite struct ArchiveTests {
  @Test("the archive passes the conformance tests", arguments: ArchiveConformance.checks)
  func conforms(_ check: ArchiveConformance.Check) throws {
    let folder = try JournalFolder()
    let journals = SQLiteJournals(folder: folder.path)
    try check.run(journals, journals)
  }

  @Test func `a file with lost acknowledged commits, or of another format, is refused`() throws {
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

  @Test("a locked journal cannot be opened, and can be read and moved once it is released")
  func holdAndMove() throws {
    let (folder, other) = (try JournalFolder(), try JournalFolder())
    let (journals, target) = (SQLiteJournals(folder: folder.path), SQLiteJournals(folder: other.path))
    let journal = try journals.open("a").journal
    let head = try journal.appendBatches(2, after: try journal.acquire())
    #expect(throws: JournalError(.inUse, "")) { try journals.lock("a") }
    try journal.close()
    do {
      let lock = try journals.lock("a")
      #expect(throws: JournalError(.inUse, "")) { try journals.open("a") }
      let view = try journals.view("a")
      #expect(view.head == head)
      view.close()
      _ = lock
    }
    try other.write([1], "a.sqlite-wal")
    #expect(throws: JournalError(.inUse, "")) { try journals.move("a", to: target) }
    #expect(try journals.names() == ["a"])
    try other.remove("a.sqlite-wal")
    try journals.move("a", to: target)
    #expect(try journals.names() == [])
    #expect(throws: JournalError(.notAJournal, "")) { try journals.move("b", to: target) }
    let moved = try target.open("a")
    #expect(moved.damages == [])
    #expect(try moved.journal.acquire().runningHash == head.runningHash)
    try moved.journal.close()
    #expect(other.exists("a.sqlite.mark") && !folder.exists("a.sqlite.mark"))
  }
}
