import HearthJournal

@testable import HearthSQLite

/// A journal whose write-ahead log is checkpointed while a reader holds an earlier state, so that SQLite moves a part
/// of it and syncs nothing yet; then the rest is moved, and the journal is closed and reopened.
struct CheckpointBesideReader: DiskRun {
  private(set) var outcomes: [(operation: String, outcome: DiskOutcome)] = []
  private(set) var problems: [String] = []
  /// The head after each append.
  private var heads: [JournalHead] = []
  private let folder: String
  private let disk: WatchedDisk

  init(folder: String, disk: WatchedDisk) { (self.folder, self.disk) = (folder, disk) }

  mutating func run() {
    reopen { (journal, head, run) throws(JournalError) in
      head = try run.append(2, journal, after: head)
      let view = try SQLiteJournals(folder: run.folder).view("j")
      defer { view.close() }
      head = try run.append(1, journal, after: head)
      journal.checkpointer.emptyLog()
    } then: { (journal, head, run) throws(JournalError) in
      head = try run.append(1, journal, after: head)
      journal.checkpointer.emptyLog()
    }
    // Reopened as by a restarted server.
    reopen { (journal, head, run) throws(JournalError) in
      head = try run.append(1, journal, after: head)
    } then: { _, _, _ in
    }
  }

  mutating func end() {}

  private typealias Step = (SQLiteJournal, inout JournalHead, inout CheckpointBesideReader) throws(JournalError) -> Void

  private mutating func reopen(_ first: Step, then second: Step) {
    do throws(JournalError) {
      let journal = try SQLiteJournals(folder: folder).open("j").journal
      guard let journal = journal as? SQLiteJournal else { return }
      defer { try? journal.close() }
      var head = try journal.acquire()
      try first(journal, &head, &self)
      try second(journal, &head, &self)
      outcomes.append(("life", .done))
    } catch {
      if error.code == .corrupt { problems.append("a fault is taken for damage: \(error)") }
      outcomes.append(("life", .unknown))
    }
  }

  /// Appends batches of several pages each, so that a checkpoint moves more than one page.
  private mutating func append(
    _ count: Int, _ journal: SQLiteJournal, after head: JournalHead
  ) throws(JournalError) -> JournalHead {
    var head = head
    for _ in 0..<count {
      let position = head.position + 1
      let batch = JournalBatch(
        firstPosition: position, lastPosition: position,
        payload: [UInt8](repeating: UInt8(position & 0xFF), count: 5_000))
      head = try journal.append(batch, after: head)
      heads.append(head)
      disk.promise(head.position)
    }
    return head
  }

  func problem(in folder: String, promised: Int64) -> String? {
    do throws(JournalError) {
      let journal = try SQLiteJournals(folder: folder).open("j").journal
      defer { try? journal.close() }
      let head = try journal.acquire()
      if head.position < promised {
        return "position \(promised) was acknowledged, and the log ends at \(head.position)"
      }
      let count = try journal.batches(after: 0, sizeBytesMax: .max).count
      return count == Int(head.position) ? nil : "\(count) batches of \(head.position) are there"
    } catch {
      return "it is refused: \(error)"
    }
  }
}
