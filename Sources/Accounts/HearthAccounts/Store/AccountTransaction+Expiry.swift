import HearthCrypto
import HearthTree

/// The index of expiration times, and the removal of expired records: a few at a time, in transactions with other
/// changes.
extension AccountTransaction {
  /// Adds, replaces or, with nil, removes the lock of an account.
  mutating func setLock(_ name: String, _ lock: AccountLock?) {
    let path = AccountPath.lock(name)
    guard let key = path.keys.last else { return }
    if let old: AccountLock = records.record(path) {
      draft.replace(AccountPath.expiry(.locks, lockEnd(old), key), with: .empty)
    }
    guard let lock else { return draft.replace(path, with: .empty) }
    draft.replace(path, with: text(of: lock))
    draft.replace(AccountPath.expiry(.locks, lockEnd(lock), key), with: Node(.bool(true)))
    if draft.root[AccountPath.locks].childCount > limits.locksMax { removeFirstExpiry(.locks, but: key) }
  }

  private func lockEnd(_ lock: AccountLock) -> Int64 {
    max(lock.lockedUntilSeconds, lock.lastFailureSeconds.plus(limits.lockKeptSeconds))
  }

  mutating func setExpiry(_ kind: ExpiryKind, _ seconds: Int64, _ hash: Digest) {
    draft.replace(AccountPath.expiry(kind, seconds, Key(hash.hex)), with: Node(.bool(true)))
  }

  mutating func removeExpiry(_ kind: ExpiryKind, _ seconds: Int64, _ hash: Digest) {
    draft.replace(AccountPath.expiry(kind, seconds, Key(hash.hex)), with: .empty)
  }

  mutating func removeFirstExpiry(_ kind: ExpiryKind, but kept: Digest) {
    removeFirstExpiry(kind, but: Key(kept.hex))
  }

  /// Removes the record that expires first, except `kept`.
  private mutating func removeFirstExpiry(_ kind: ExpiryKind, but kept: Key) {
    for (key, _) in draft.root[AccountPath.expiries(kind)].children {
      guard let entry = ExpiryEntry(key) else {
        draft.replace(AccountPath.expiries(kind).appending(key), with: .empty)
        continue
      }
      if entry.name != kept { return remove(kind, key, entry.name) }
    }
  }

  /// Removes some expired records. Does nothing in a transaction without changes.
  mutating func sweep() {
    guard !draft.isEmpty else { return }
    for kind in ExpiryKind.allCases {
      for (key, _) in draft.root[AccountPath.expiries(kind)].children.prefix(limits.sweepStepRecords) {
        guard let entry = ExpiryEntry(key) else {
          draft.replace(AccountPath.expiries(kind).appending(key), with: .empty)
          continue
        }
        guard entry.seconds <= nowSeconds else { break }
        if isExpired(kind, entry.name) {
          remove(kind, key, entry.name)
        } else {
          draft.replace(AccountPath.expiries(kind).appending(key), with: .empty)
        }
      }
    }
  }

  /// Returns true when the record itself has expired or is missing: an index entry may be outdated.
  private func isExpired(_ kind: ExpiryKind, _ name: Key) -> Bool {
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

  private mutating func remove(_ kind: ExpiryKind, _ entryKey: Key, _ name: Key) {
    switch kind {
    case .sessions: if let hash = Digest(hex: name.text) { removeSession(hash) }
    case .tickets: if let hash = Digest(hex: name.text) { removeTicket(hash) }
    case .locks: draft.replace(AccountPath.locks.appending(name), with: .empty)
    }
    draft.replace(AccountPath.expiries(kind).appending(entryKey), with: .empty)
  }
}

/// The key of an index entry: the expiration time in hexadecimal, `-`, and the record's name.
private struct ExpiryEntry {
  var seconds: Int64
  var name: Key

  init?(_ key: Key) {
    let parts = key.text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = Int64(parts[0], radix: 16) else { return nil }
    self.seconds = seconds
    name = Key(String(parts[1]))
  }
}
