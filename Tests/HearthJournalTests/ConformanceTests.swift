import HearthJournal
import HearthTestKit
import Synchronization
import Testing

/// The journal that other tests stand on is held to the same promises as those that databases are kept in; and the suite
/// itself sees it when one is broken.
@Suite struct ConformanceTests {
  /// Opens a journal in memory again as after a crash.
  private final class MemoryJournals: JournalFactory {
    private let last = Mutex<MemoryJournal?>(nil)

    func open(_ name: String) throws(JournalError) -> OpenedJournal {
      last.withLock { last in
        let journal = last?.crash() ?? MemoryJournal()
        last = journal
        return OpenedJournal(journal)
      }
    }

    func names() throws(JournalError) -> [String] { [] }
    func remove(_ name: String) throws(JournalError) { last.withLock { $0 = nil } }
  }

  @Test("the journal in memory keeps what every journal promises", arguments: JournalConformance.checks)
  func memory(_ check: JournalConformance.Check) throws { try check.run(MemoryJournals()) }

  @Test("a journal that keeps nothing is found out")
  func forgetful() {
    let kept = JournalConformance.checks.filter { (try? $0.run(VolatileJournals())) != nil }.map(\.description)
    #expect(
      Set(kept) == [
        "the running hash goes on as it is written down for all journals",
        "an append that does not continue the log is refused",
      ])
  }
}
