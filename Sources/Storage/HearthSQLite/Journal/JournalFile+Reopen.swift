import HearthJournal

extension JournalFile {
  /// Reopens the journal after a fault with an unknown outcome, and compares the file with the acknowledged content.
  /// The caller holds ``reopening``.
  ///
  /// No cached page is trusted: the WAL is rewritten and synced, all of it is moved into the database file, and that
  /// file is read from the disk.
  ///
  /// - Throws: `.diskFault` when a step failed, and may be tried again; `.corrupt` when acknowledged content is lost,
  ///   after which the journal accepts no more writes; `.closed`.
  func reopen() throws(JournalError) {
    let (isClosed, fault) = state.withLock { ($0.isClosed, $0.fault) }
    if isClosed { throw closedError }
    guard case .unverified(let cause, _) = fault else { return }
    do throws(JournalError) {
      try disconnect()
      _ = try JournalFileCheck.inspectLog(path, mode: .truncateTornTail)
      guard try WriteAheadLog.writeBack(databasePath: path) else {
        throw JournalError(.noSpace, "not enough disk space to rewrite the log", at: JournalError.Place(file: path))
      }
      let content = try JournalReadBack(path: path).run()
      try compare(content)
      let opened = try SQLiteConnections.open(path, options: options)
      connections.withLock { $0 = opened }
      state.withLock { $0.reopen(with: content) }
    } catch {
      switch error.code {
      case .corrupt, .notAJournal, .unsupportedFormat:
        state.withLock { $0.fault = .failed(error) }
        throw error
      default:
        throw JournalError(
          .diskFault, "the journal cannot be reopened after a disk fault; Hearth tries again",
          at: JournalError.Place(file: path), cause: "\(error); the fault was: \(cause)")
      }
    }
  }

  private func compare(_ content: JournalReadBack.Content) throws(JournalError) {
    let (isAcknowledged, position) = state.withLock { ($0.acknowledges(content), $0.head.position) }
    guard !isAcknowledged else { return }
    throw JournalError(
      .corrupt,
      "a sync failed, and the disk lost acknowledged commits: the log was written up to position "
        + "\(position), but can be read back only up to position \(content.head.position); "
        + JournalRecovery.remedy(path),
      at: JournalError.Place(file: path, position: content.head.position))
  }
}
