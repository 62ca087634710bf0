import HearthJournal

extension MemoryJournal.State {
  /// Throws during an outage; otherwise returns whether an append with an unknown outcome was written.
  mutating func isThere(_ entry: MemoryJournal.Entry) throws(JournalError) -> Bool {
    if let unknownOutcome, unknownOutcome != entry.runningHash {
      throw JournalError(.failed, "another batch is in doubt")
    }
    let isWritten = disk.runningHash == entry.runningHash
    guard let outageWrites else {
      defer { unknownOutcome = nil }
      return unknownOutcome != nil && isWritten
    }
    unknownOutcome = entry.runningHash
    if outageWrites, !isWritten { disk.entries.append(entry) }
    throw JournalError(.unavailable, "the test simulates an outage")
  }

  /// Makes an append fail.
  mutating func fail(_ fault: MemoryJournal.Fault, _ entry: MemoryJournal.Entry) throws(JournalError) {
    if fault.code == .inputOutput { failure = fault.code }
    if fault.isWritten { leftoverEntry = entry }
    throw JournalError(fault.code, "the test made append \(appendCount) fail")
  }

  @discardableResult
  func requireOpen(_ ticket: SnapshotTicket) throws(JournalError) -> MemoryJournal.StoredSnapshot {
    if let openSnapshot, openSnapshot.info.identifier == ticket.identifier { return openSnapshot }
    throw JournalError(.snapshotAbandoned, "the snapshot was abandoned")
  }
}

extension MemoryJournal.Disk {
  /// Inserts a completed snapshot or checkpoint after those at its position.
  mutating func insert(_ new: MemoryJournal.StoredSnapshot) {
    snapshots.insert(new, at: snapshots.firstIndex { $0.info.position > new.info.position } ?? snapshots.count)
  }

  func checkpointIndex(at position: Int64) -> Int? {
    snapshots.lastIndex { $0.payload != nil && $0.info.position == position }
  }

  /// The running hash after the batch that ends at `position`; nil when no batch ends there.
  func runningHash(at position: Int64) -> RunningHash? {
    if let entry = entries.first(where: { $0.batch.lastPosition == position }) { return entry.runningHash }
    if let info = snapshots.last(where: { $0.info.position == position })?.info { return info.runningHash }
    return position == 0 && snapshots.isEmpty ? .empty : nil
  }
}
