import HearthCrypto
import HearthTree

/// Removal of expired records, a few at a time, in transactions that are made anyway.
extension AccountTransaction {
  /// Adds, replaces or, with nil, removes the lock of an account.
  mutating func setLock(_ name: String, _ lock: AccountLock?) {
    let path = AccountPath.lock(name)
    guard let key = path.keys.last else { return }
    if let old: AccountLock = records.record(path) {
      draft.replace(AccountPath.ending(.locks, lockEnd(old), key), with: .empty)
    }
    guard let lock else { return draft.replace(path, with: .empty) }
    draft.replace(path, with: text(of: lock))
    draft.replace(AccountPath.ending(.locks, lockEnd(lock), key), with: Node(.bool(true)))
    if draft.root[AccountPath.locks].childCount > limits.locksMax { removeFirstEnding(.locks, but: key) }
  }

  private func lockEnd(_ lock: AccountLock) -> Int64 {
    max(lock.lockedUntilSeconds, lock.lastFailureSeconds.plus(limits.lockKeptSeconds))
  }

  mutating func setEnding(_ kind: EndingKind, _ seconds: Int64, _ hash: Digest) {
    draft.replace(AccountPath.ending(kind, seconds, Key(hash.hex)), with: Node(.bool(true)))
  }

  mutating func removeEnding(_ kind: EndingKind, _ seconds: Int64, _ hash: Digest) {
    draft.replace(AccountPath.ending(kind, seconds, Key(hash.hex)), with: .empty)
  }

  mutating func removeFirstEnding(_ kind: EndingKind, but kept: Digest) {
    removeFirstEnding(kind, but: Key(kept.hex))
  }

  private mutating func removeFirstEnding(_ kind: EndingKind, but kept: Key) {
    for (key, _) in draft.root[AccountPath.endings(kind)].children {
      guard let ending = Ending(key) else {
        draft.replace(AccountPath.endings(kind).appending(key), with: .empty)
        continue
      }
      if ending.name != kept { return remove(kind, key, ending.name) }
    }
  }

  /// Removes some expired records. Does nothing in a transaction without changes.
  mutating func sweep() {
    guard !draft.isEmpty else { return }
    for kind in EndingKind.allCases {
      for (key, _) in draft.root[AccountPath.endings(kind)].children.prefix(limits.sweepStepRecords) {
        guard let ending = Ending(key) else {
          draft.replace(AccountPath.endings(kind).appending(key), with: .empty)
          continue
        }
        guard ending.seconds <= nowSeconds else { break }
        if isOver(kind, ending.name) {
          remove(kind, key, ending.name)
        } else {
          draft.replace(AccountPath.endings(kind).appending(key), with: .empty)
        }
      }
    }
  }

  /// Returns true when the record itself has expired, too: an index entry may be outdated.
  private func isOver(_ kind: EndingKind, _ name: Key) -> Bool {
    switch kind {
    case .sessions:
      guard let hash = Digest(hex: name.text), let session = session(hash) else { return true }
      return session.expiresAtSeconds.map { $0 <= nowSeconds } ?? false
    case .tickets:
      guard let hash = Digest(hex: name.text), let ticket = ticket(hash) else { return true }
      return ticket.expiresAtSeconds <= nowSeconds
    case .locks:
      guard let lock: AccountLock = records.record(AccountPath.locks.appending(name)) else { return true }
      return lockEnd(lock) <= nowSeconds
    }
  }

  private mutating func remove(_ kind: EndingKind, _ entry: Key, _ name: Key) {
    switch kind {
    case .sessions: if let hash = Digest(hex: name.text) { removeSession(hash) }
    case .tickets: if let hash = Digest(hex: name.text) { removeTicket(hash) }
    case .locks: draft.replace(AccountPath.locks.appending(name), with: .empty)
    }
    draft.replace(AccountPath.endings(kind).appending(entry), with: .empty)
  }
}

/// The key of an index entry with an end time.
private struct Ending {
  var seconds: Int64
  var name: Key

  init?(_ key: Key) {
    let parts = key.text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = Int64(parts[0], radix: 16) else { return nil }
    self.seconds = seconds
    name = Key(String(parts[1]))
  }
}
