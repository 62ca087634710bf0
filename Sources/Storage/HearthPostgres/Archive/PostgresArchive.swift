import HearthJournal
import Synchronization

/// The journals of one collection, for backups.
///
/// Views that are open at the same time share one connection and one transaction: a backup of many databases uses one
/// connection and sees a consistent state. Each backup has its own archive.
public final class PostgresArchive: JournalArchive {
  private struct Sharing {
    var transaction: PostgresReadTransaction
    var viewCount: Int
  }

  private let journals: PostgresJournals
  private let sharing = Mutex<Sharing?>(nil)

  init(_ journals: PostgresJournals) { self.journals = journals }

  public func names() throws(JournalError) -> [String] { try journals.names() }

  /// Returns a view of the journal in the transaction that the open views share; begins the transaction when there is
  /// none.
  ///
  /// - Throws: `.notAJournal` when there was no such journal; `.inputOutput`.
  public func view(_ name: String) throws(JournalError) -> any JournalView {
    let transaction = try sharing.withLock { (sharing) throws(JournalError) in
      let transaction = if let sharing { sharing.transaction } else { try PostgresReadTransaction(journals.engine) }
      sharing = Sharing(transaction: transaction, viewCount: (sharing?.viewCount ?? 0) + 1)
      return transaction
    }
    do {
      return try PostgresJournalView(journals.key(name), at: transaction, journals.engine.address) { [self] in release()
      }
    } catch {
      release()
      throw error
    }
  }

  /// Handles the closing of a view.
  private func release() {
    sharing.withLock { sharing in
      sharing?.viewCount -= 1
      if sharing?.viewCount == 0 { sharing = nil }
    }
  }

  /// Creates a journal of that name, which is visible once it is complete.
  public func restoration(_ name: String) throws(JournalError) -> any JournalRestoration {
    try PostgresRestoration(journals.engine, journals.key(name))
  }
}

extension PostgresEngine {
  /// Returns a collection's journals, as in ``journals(_:)``, for backups.
  public func archive(_ collection: String) -> PostgresArchive { PostgresArchive(journals(collection)) }
}
