import HearthAccounts

/// The processes of other nodes' revocations on this node, kept as long as those nodes may ask for the results. Each is returned
/// once, so that a cancelled client is in one receipt of that node.
struct RemoteRevocations {
  private struct Entry {
    var revocation: Revocation
    /// The node's position in the accounts' log at that time.
    var position: Int64
    var process: RevocationProcess
  }

  private var entries: [Entry] = []

  var count: Int { entries.count }

  mutating func add(_ process: RevocationProcess, of revocation: Revocation, at position: Int64, limits: ReceiptLimits)
  {
    let before = process.start.monotonicMicroseconds - limits.followedMilliseconds * 1000
    entries.removeAll { $0.process.start.monotonicMicroseconds < before }
    if entries.count >= limits.followedMax { entries.removeFirst() }
    entries.append(Entry(revocation: revocation, position: position, process: process))
  }

  /// Removes and returns the processes of a revocation, up to a position of the accounts' log.
  mutating func take(_ revocation: Revocation, upTo position: Int64) -> [RevocationProcess] {
    var taken: [RevocationProcess] = []
    entries.removeAll { entry in
      guard entry.revocation == revocation, entry.position <= position else { return false }
      taken.append(entry.process)
      return true
    }
    return taken
  }
}
