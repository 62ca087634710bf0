import HearthCrypto
import HearthTree

extension AccountTransaction {
  /// Adds or replaces a session. Above the limit for a user the least recently used one is removed.
  public mutating func putSession(_ hash: Digest, _ session: SessionRecord) {
    let text = text(of: session)
    removeSession(hash)
    let owned = AccountPath.userSessions.appending(AccountPath.key(session.uid))
    draft.replace(AccountPath.session(hash), with: text)
    draft.replace(owned.appending(Key(hash.hex)), with: Node(.int(session.lastUsedAtSeconds)))
    if let end = session.expiresAtSeconds { setExpiry(.sessions, end, hash) }
    if let oldest = oldest(in: owned, max: limits.sessionsPerUserMax, but: hash) { removeSession(oldest) }
  }

  /// Ends a session, if it exists.
  public mutating func removeSession(_ hash: Digest) {
    let path = AccountPath.session(hash)
    guard !draft.root[path].isEmpty else { return }
    if let session = session(hash) {
      let owned = AccountPath.userSessions.appending(AccountPath.key(session.uid))
      draft.replace(owned.appending(Key(hash.hex)), with: .empty)
      if let end = session.expiresAtSeconds { removeExpiry(.sessions, end, hash) }
    }
    draft.replace(path, with: .empty)
  }

  /// Ends all sessions of a user, except one.
  public mutating func removeSessions(of uid: String, except kept: Digest? = nil) {
    let owned = AccountPath.userSessions.appending(AccountPath.key(uid))
    for hash in hashes(owned) where hash != kept {
      removeSession(hash)
      draft.replace(owned.appending(Key(hash.hex)), with: .empty)
    }
  }

  /// Ends a sign-in with all generations of its refresh token.
  public mutating func removeFamily(_ family: String, of uid: String) {
    for (hash, session) in sessions(of: uid) where session.family == family { removeSession(hash) }
  }

  // MARK: Tickets

  /// Adds or replaces a ticket. Above the limit for a user the oldest is removed; codes that revert a change are
  /// removed last, and of them the newest, otherwise an attacker in the account could remove them by requesting more
  /// tickets.
  public mutating func putTicket(_ hash: Digest, _ ticket: Ticket) {
    let text = text(of: ticket)
    removeTicket(hash)
    draft.replace(AccountPath.ticket(hash), with: text)
    setExpiry(.tickets, ticketEnd(ticket), hash)
    if let owned = ownedTickets(ticket) {
      draft.replace(owned.appending(Key(hash.hex)), with: Node(.int(ticket.createdAtSeconds)))
      let oldest = oldest(in: owned, max: limits.ticketsPerOwnerMax, but: hash) { other in
        self.ticket(other).map { Set<Ticket.Purpose>.reversalCodes.contains($0.purpose) } ?? false
      }
      if let oldest { removeTicket(oldest) }
    }
    if draft.root[AccountPath.tickets].childCount > limits.ticketsMax { removeFirstExpiry(.tickets, but: hash) }
  }

  /// Removes a ticket, if it exists.
  public mutating func removeTicket(_ hash: Digest) {
    let path = AccountPath.ticket(hash)
    guard !draft.root[path].isEmpty else { return }
    if let ticket = ticket(hash) {
      if let owned = ownedTickets(ticket) { draft.replace(owned.appending(Key(hash.hex)), with: .empty) }
      removeExpiry(.tickets, ticketEnd(ticket), hash)
    }
    draft.replace(path, with: .empty)
  }

  /// Removes tickets of a user.
  ///
  /// - Parameter purposes: nil for all.
  package mutating func removeTickets(of uid: String, purposes: Set<Ticket.Purpose>? = nil) {
    let owned = AccountPath.userTickets.appending(AccountPath.key(uid))
    for hash in hashes(owned) {
      if let purposes, let ticket = ticket(hash), !purposes.contains(ticket.purpose) { continue }
      removeTicket(hash)
      draft.replace(owned.appending(Key(hash.hex)), with: .empty)
    }
  }

  /// Removes the tickets of a phone number that have no user.
  mutating func removeTickets(phone number: String) {
    for hash in hashes(AccountPath.phoneTickets.appending(AccountPath.key(number))) { removeTicket(hash) }
  }

  private func ownedTickets(_ ticket: Ticket) -> Path? {
    if let uid = ticket.uid { return AccountPath.userTickets.appending(AccountPath.key(uid)) }
    if let email = ticket.email { return AccountPath.emailTickets.appending(AccountPath.key(email)) }
    return ticket.phoneNumber.map { AccountPath.phoneTickets.appending(AccountPath.key($0)) }
  }

  private func ticketEnd(_ ticket: Ticket) -> Int64 { ticket.expiresAtSeconds.plus(limits.ticketKeptSeconds) }

  /// Returns the entry with the smallest number when there are more than `max`. Protected entries are passed over; when all are
  /// protected, returns the one with the largest number.
  private func oldest(
    in path: Path, max: Int, but kept: Digest, isProtected: (Digest) -> Bool = { _ in false }
  ) -> Digest? {
    let node = draft.root[path]
    guard node.childCount > max else { return nil }
    let entries = node.children.compactMap { key, leaf -> (hash: Digest, seconds: Int64)? in
      guard let hash = Digest(hex: key.text), hash != kept else { return nil }
      if case .int(let seconds)? = leaf.scalar { return (hash, seconds) }
      return (hash, .min)
    }
    let candidates = entries.filter { !isProtected($0.hash) }
    guard candidates.isEmpty else { return candidates.min { $0.seconds < $1.seconds }?.hash }
    return entries.max { $0.seconds < $1.seconds }?.hash
  }
}

extension Int64 {
  /// The saturating sum.
  func plus(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
