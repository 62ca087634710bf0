import HearthJournal
import HearthTestKit
import Testing

/// Tests of the simulated faults of the journal in memory.
@Suite struct MemoryJournalTests {
  @Test("an append without space fails once and may be repeated")
  func noSpace() throws {
    let journal = MemoryJournal()
    journal.failAppend(2, MemoryJournal.Fault(.noSpace))
    var head = try journal.appendBatches(1, after: try journal.acquire())
    #expect(throws: JournalError(.noSpace, "")) { try journal.append(.following(head), after: head) }
    head = try journal.append(.following(head), after: head)
    #expect(head.position == 2)
    #expect(journal.appendCount == 3)
  }

  @Test("a failed sync ends all writing, and the batch may or may not be there afterwards", arguments: [false, true])
  func failedSync(_ isWritten: Bool) throws {
    let journal = MemoryJournal()
    journal.failAppend(2, MemoryJournal.Fault(.inputOutput, isWritten: isWritten))
    let head = try journal.appendBatches(1, after: try journal.acquire())
    #expect(throws: JournalError(.inputOutput, "")) { try journal.append(.following(head), after: head) }
    #expect(throws: JournalError(.failed, "")) { try journal.append(.following(head), after: head) }
    #expect(throws: JournalError(.failed, "")) { try journal.acquire() }
    let restarted = journal.crash()
    #expect(try restarted.acquire().position == (isWritten ? 2 : 1))
  }

  @Test("a disk that ignores syncs loses the end of the log")
  func lostTail() throws {
    let journal = MemoryJournal()
    _ = try journal.appendBatches(5, after: try journal.acquire())
    let restarted = journal.crash(losingLastBatches: 2)
    #expect(throws: JournalError(.failed, "")) { try journal.acquire() }
    let head = try restarted.acquire()
    #expect(head.epoch == 2 && head.position == 3)
    #expect(try restarted.append(.following(head), after: head).position == 4)
  }

  @Test("appends wait at a closed gate and take effect when it opens")
  func gate() async throws {
    let journal = MemoryJournal()
    let head = try journal.acquire()
    journal.gate.close()
    let waiting = BlockingCall { try journal.append(.following(head), after: head) }
    while journal.gate.waitingCount == 0 { await Task.yield() }
    #expect(journal.storedBatches == [])
    journal.gate.open()
    #expect(try await waiting.value().position == 1)
    #expect(journal.storedBatches.count == 1)
  }

  @Test("a crash while an append waits loses that append alone")
  func crashAtTheGate() async throws {
    let journal = MemoryJournal()
    let head = try journal.appendBatches(1, after: try journal.acquire())
    journal.gate.close()
    let waiting = BlockingCall { try journal.append(.following(head), after: head) }
    while journal.gate.waitingCount == 0 { await Task.yield() }
    let restarted = journal.crash()
    await #expect(throws: JournalError(.failed, "")) { try await waiting.value() }
    #expect(restarted.storedBatches.count == 1)
  }
}
