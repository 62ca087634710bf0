import HearthJournal
import HearthSQLite
import HearthTestKit
import Testing

@Suite struct ConformanceTests {
  @Test(
    "the journal passes the conformance tests",
    arguments: JournalConformance.checks + JournalConformance.checkpointChecks)
  func conforms(_ check: JournalConformance.Check) throws {
    let folder = try JournalFolder()
    try check.run(SQLiteJournals(folder: folder.path))
  }

  @Test("journals of one folder are listed by name, and are separate")
  func names() throws {
    let folder = try JournalFolder()
    let journals = SQLiteJournals(folder: folder.path)
    #expect(try journals.names().isEmpty)
    let (one, two) = (try journals.open("one"), try journals.open("two"))
    _ = try one.journal.appendBatches(3, after: try one.journal.acquire())
    #expect(try two.journal.acquire().position == 0)
    #expect(Set(try journals.names()) == ["one", "two"])
    #expect(one.damages.isEmpty && two.damages.isEmpty)
    #expect(throws: JournalError(.inUse, "")) { try journals.open("one") }
  }
}
