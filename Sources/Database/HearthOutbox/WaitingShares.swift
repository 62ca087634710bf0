import HearthJournal
import HearthTree
import HearthTriggers

/// The waiting events of one queue, with the number and size of those that each account's writes have caused.
/// ``ShareRule`` decides whether a further event may wait or becomes a dead letter.
///
/// Signed-out clients count as one account. Events that waited when the server started belong to no account.
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

  /// The admitted entries of one batch that are not stored yet.
  struct Batch: Sendable {
    fileprivate var total = Amount()
    fileprivate var added: [ShareClaimant: Amount] = [:]
  }

  /// The amount of all waiting events.
  var total = Amount()
  private var amountsByWriter: [ShareClaimant: Amount] = [:]
  private var writers: [OutboxPlace: ShareClaimant] = [:]

  /// The number of accounts with waiting events.
  var writerCount: Int { amountsByWriter.count }

  /// Adds an entry to the batch's amounts if it may wait.
  ///
  /// - Parameter writer: The account that made the write; nil for an event without one.
  /// - Returns: True when the entry may wait.
  mutating func admit(
    _ entry: OutboxEntry, of writer: ShareClaimant?, in batch: inout Batch, _ environment: SenderEnvironment
  ) -> Bool {
    let bytes = entry.content.count
    var own = Amount()
    if let writer {
      let (waiting, added) = (amountsByWriter[writer] ?? Amount(), batch.added[writer] ?? Amount())
      own = Amount(count: waiting.count + added.count, bytes: waiting.bytes + added.bytes)
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

  /// Records that an admitted entry is stored.
  mutating func stored(_ entry: OutboxEntry) {
    total.add(entry.content.count)
    if let writer = writers[entry.place] { amountsByWriter[writer, default: Amount()].add(entry.content.count) }
  }

  /// Records that an entry no longer waits.
  mutating func release(_ place: OutboxPlace, sizeBytes: Int) {
    total.remove(sizeBytes)
    guard let writer = writers.removeValue(forKey: place), var amount = amountsByWriter[writer] else { return }
    amount.remove(sizeBytes)
    amountsByWriter[writer] = amount.count == 0 ? nil : amount
  }
}
