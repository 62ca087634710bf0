import HearthJournal
import HearthTree
import HearthTriggers

/// The events that wait in one queue, and how many of them each account's writes have made. ``ShareRule`` says which of
/// further ones wait and which are dead letters.
///
/// Signed-out clients are one account. Events that waited when the server started belong to no account.
struct WaitingShares: Sendable {
  struct Amount: Sendable {
    var count = 0
    var bytes = 0

    mutating func add(_ sizeBytes: Int) {
      count += 1
      bytes += sizeBytes
    }

    mutating func remove(_ sizeBytes: Int) {
      count = max(0, count - 1)
      bytes = max(0, bytes - sizeBytes)
    }
  }

  /// Entries of one batch that were admitted and are not stored yet.
  struct Batch: Sendable {
    fileprivate var total = Amount()
    fileprivate var added: [ShareClaimant: Amount] = [:]
  }

  /// All that wait.
  var total = Amount()
  private var held: [ShareClaimant: Amount] = [:]
  private var writers: [OutboxPlace: ShareClaimant] = [:]

  /// Accounts that are known to have events here.
  var writerCount: Int { held.count }

  /// Returns true when an entry may wait, and counts it for the batch.
  ///
  /// - Parameter writer: nil for an event that no client's write made.
  mutating func admit(
    _ entry: OutboxEntry, of writer: ShareClaimant?, in batch: inout Batch, _ environment: SenderEnvironment
  ) -> Bool {
    let bytes = entry.content.count
    var own = Amount()
    if let writer {
      let (held, added) = (held[writer] ?? Amount(), batch.added[writer] ?? Amount())
      own = Amount(count: held.count + added.count, bytes: held.bytes + added.bytes)
    }
    func admits(_ amount: Int, _ used: Int, of max: Int, own: Int) -> Bool {
      ShareRule.admits(
        amount, used: used, of: max, unit: amount, isAdministrator: writer?.isAdministrator ?? true
      ) { $0 == .account ? own : nil }
    }
    guard
      admits(1, total.count + batch.total.count, of: environment.waitingEventsMax, own: own.count),
      admits(bytes, total.bytes + batch.total.bytes, of: environment.waitingBytesMax, own: own.bytes)
    else { return false }
    batch.total.add(bytes)
    guard let writer else { return true }
    batch.added[writer, default: Amount()].add(bytes)
    writers[entry.place] = writer
    return true
  }

  /// An entry that was admitted is stored.
  mutating func stored(_ entry: OutboxEntry) {
    total.add(entry.content.count)
    if let writer = writers[entry.place] { held[writer, default: Amount()].add(entry.content.count) }
  }

  /// An entry waits no more.
  mutating func release(_ place: OutboxPlace, sizeBytes: Int) {
    total.remove(sizeBytes)
    guard let writer = writers.removeValue(forKey: place), var amount = held[writer] else { return }
    amount.remove(sizeBytes)
    held[writer] = amount.count == 0 ? nil : amount
  }
}
