import HearthJournal
import HearthTestKit
import Synchronization
import Testing

/// Tests that the journal in memory, which other tests depend on, passes the conformance checks, and that the checks
/// detect broken requirements.
@Suite struct ConformanceTests {
  /// A factory that reopens a journal in memory as after a crash.
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

  @Test(
    "the journal in memory passes the conformance tests",
    arguments: JournalConformance.checks + JournalConformance.checkpointChecks)
  func memory(_ check: JournalConformance.Check) throws { try check.run(MemoryJournals()) }

  @Test("the conformance tests detect a journal without storage")
  func forgetful() {
    let kept = JournalConformance.checks.filter { (try? $0.run(VolatileJournals())) != nil }.map(\.description)
    #expect(
      Set(kept) == [
        "the running hash goes on as it is written down for all journals",
        "an append that does not continue the log is refused",
      ])
  }
}
