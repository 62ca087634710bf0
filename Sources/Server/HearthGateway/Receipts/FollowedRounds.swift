import HearthAccounts

/// What this node did because another one ended credentials, for as long as that one may ask. Each is told once, so that a
/// client who was cut stands in one receipt of that node.
struct FollowedRounds {
  private struct Entry {
    var revocation: Revocation
    /// The place where this node was in the accounts' log by then.
    var position: Int64
    var round: RevocationRound
  }

  private var entries: [Entry] = []

  var count: Int { entries.count }

  mutating func add(_ round: RevocationRound, of revocation: Revocation, at position: Int64, limits: ReceiptLimits) {
    let before = round.start.monotonicMicroseconds - limits.followedMilliseconds * 1000
    entries.removeAll { $0.round.start.monotonicMicroseconds < before }
    if entries.count >= limits.followedMax { entries.removeFirst() }
    entries.append(Entry(revocation: revocation, position: position, round: round))
  }

  /// What was done because of it, up to a position of the accounts' log.
  mutating func take(_ revocation: Revocation, upTo position: Int64) -> [RevocationRound] {
    var taken: [RevocationRound] = []
    entries.removeAll { entry in
      guard entry.revocation == revocation, entry.position <= position else { return false }
      taken.append(entry.round)
      return true
    }
    return taken
  }
}
