import HearthCrypto
import HearthPlugin
import HearthTree

/// A code by which the owner of an account's former address reverts a change of credentials: generated before the
/// change, stored and mailed with it.
struct ReversalCode: Sendable, Redacted {
  let purpose: Ticket.Purpose
  let code: NewCode
  let link: String
  /// The codes that an emulator shows; `nil` on every other server.
  let shown: String?
}

extension Set<Ticket.Purpose> {
  /// The purposes of codes that revert a change.
  static let reversalCodes: Set<Ticket.Purpose> = [.recoverEmail, .revertSecondFactor, .revertChange]
}

extension Ticket.Purpose {
  /// Creates the purpose of the code that reverts the change of a notice.
  init(reverting notice: MailMessage.Kind) {
    self =
      switch notice {
      case .recoverEmail: .recoverEmail
      case .revertSecondFactor: .revertSecondFactor
      default: .revertChange
      }
  }
}

extension ActionCodes {
  /// Generates the code for a notice; `nil` where no mail is sent. An emulator without a mailer has the same codes as
  /// the official one.
  func makeReversalCode(_ notice: MailMessage.Kind, client: ClientInfo) throws(AccountError) -> ReversalCode? {
    let purpose = Ticket.Purpose(reverting: notice)
    guard purpose == .recoverEmail || canSend || (isEmulator && purpose == .revertSecondFactor) else { return nil }
    let code = try newCode()
    let link = links.link(purpose, code, locale: client.locale)
    return ReversalCode(
      purpose: purpose, code: code, link: link, shown: purpose == .revertChange ? nil : shown(code, link))
  }
}

extension AccountTransaction {
  /// Stores a code that reverts to the credentials that an account had before a change. Each code's creation time is at least one
  /// second after the previous one's, so that the codes are ordered: the code for an earlier state takes precedence.
  mutating func storeReversalCode(_ reversal: ReversalCode, from user: UserRecord, to before: UserRecord) {
    let last = reversalCodes(of: user.uid).map(\.ticket.createdAtSeconds).max()
    var ticket = Ticket(
      purpose: reversal.purpose, uid: user.uid, email: before.email,
      createdAtSeconds: max(nowSeconds, last?.plus(1) ?? nowSeconds),
      expiresAtSeconds: nowSeconds + reversal.purpose.lifetimeSeconds)
    if user.email != before.email { ticket.newEmail = user.email }
    var members = reversal.shown.flatMap { JSON(parsing: $0.utf8) }?.members ?? []
    members.append(JSON.Member(Ticket.beforeMember, RecordWriter(before.proofs).json))
    if let added = user.factors.first(where: { new in !before.factors.contains { $0.id == new.id } }) {
      members.append(JSON.Member(Ticket.factorMember, .string(added.id)))
    }
    ticket.details = String(decoding: JSON.object(members).text(), as: UTF8.self)
    putTicket(reversal.code.hash, ticket)
  }

  /// Makes the reverting codes that were mailed to an address keep the password that its owner has just set.
  mutating func keepPassword(of user: UserRecord) {
    for (hash, ticket) in reversalCodes(of: user.uid) where ticket.email == user.email {
      guard var before = ticket.before else { continue }
      before.password = user.password
      var ticket = ticket
      let others = (ticket.detailMembers).filter { $0.name != Ticket.beforeMember }
      let members = others + [JSON.Member(Ticket.beforeMember, RecordWriter(before.proofs).json)]
      ticket.details = String(decoding: JSON.object(members).text(), as: UTF8.self)
      putTicket(hash, ticket)
    }
  }

  private func reversalCodes(of uid: String) -> [(hash: Digest, ticket: Ticket)] {
    tickets(of: uid).filter { Set<Ticket.Purpose>.reversalCodes.contains($0.ticket.purpose) }
  }

  /// Restores the credentials that an account had before a change: later additions are removed, and removed ones return
  /// unless another account has them by now. A password that was changed since is removed without a replacement: an
  /// attacker may know the earlier one.
  ///
  /// - Throws: `invalidOOBCode`; `emailExists` when another account has the address.
  mutating func revert(_ hash: Digest, of user: inout UserRecord) throws(AccountError) {
    guard let ticket = ticket(hash), ticket.uid == user.uid, !ticket.isExpired(nowSeconds: nowSeconds),
      let before = ticket.proofs(before: user), let email = before.email
    else { throw AccountError(.invalidOOBCode) }
    let uid = user.uid
    if let owner = self.user(email: email), owner.uid != uid { throw AccountError(.emailExists) }
    (user.email, user.isEmailVerified, user.hasEmailLink) = (email, true, before.hasEmailLink)
    if user.password?.updatedAtMilliseconds != before.password?.updatedAtMilliseconds {
      (user.password, user.hasTemporaryPassword) = (nil, false)
    }
    let current = user
    user.phoneNumber = before.phoneNumber.flatMap { number in
      self.user(phone: number).map { $0.uid == uid } ?? true ? number : nil
    }
    user.identities = before.identities.compactMap { old in
      let owner = self.user(providerID: old.providerID, rawID: old.rawID)
      guard owner.map({ $0.uid == uid }) ?? true else { return nil }
      return current.identities.first { $0.providerID == old.providerID && $0.rawID == old.rawID } ?? old
    }
    user.factors = before.factors.map { old in current.factors.first { $0.id == old.id } ?? old }
    user.passkeys = before.passkeys.compactMap { old in
      guard self.user(passkey: old.id).map({ $0.uid == uid }) ?? true else { return nil }
      return current.passkey(old.id) ?? old
    }
    user.recoveryCodes =
      current.hasLostRecoveryCodes(of: before)
      ? before.recoveryCodes : current.recoveryCodes.filter(before.recoveryCodes.contains)
    removeTickets(of: uid, purposes: .endedByChange)
    // Codes that revert to later states of the account are deleted; those for earlier states stay valid.
    for (later, other) in reversalCodes(of: uid) where other.createdAtSeconds >= ticket.createdAtSeconds {
      removeTicket(later)
    }
  }
}

extension UserRecord {
  /// Returns true when the recovery codes of an earlier state were removed with its last second factor, and not used.
  func hasLostRecoveryCodes(of before: UserRecord) -> Bool {
    recoveryCodes.isEmpty && !before.factors.isEmpty
      && !before.factors.contains { old in factors.contains { $0.id == old.id } }
  }

  /// The record reduced to the user's credentials. Of a password only the time at which it was set is kept, which distinguishes it
  /// from other passwords.
  fileprivate var proofs: UserRecord {
    var proofs = UserRecord(uid: uid, createdAtMilliseconds: createdAtMilliseconds)
    (proofs.email, proofs.isEmailVerified, proofs.hasEmailLink) = (email, isEmailVerified, hasEmailLink)
    proofs.phoneNumber = phoneNumber
    proofs.password = password.map { StoredPassword(hash: "", updatedAtMilliseconds: $0.updatedAtMilliseconds) }
    proofs.identities = identities
    proofs.factors = factors
    proofs.passkeys = passkeys
    proofs.recoveryCodes = recoveryCodes
    return proofs
  }
}

extension Ticket {
  fileprivate static let beforeMember = "before"
  fileprivate static let factorMember = "factor"

  fileprivate var detailMembers: [JSON.Member] { details.flatMap { JSON(parsing: $0.utf8) }?.members ?? [] }

  private func detail(_ name: String) -> JSON? {
    guard Set<Ticket.Purpose>.reversalCodes.contains(purpose) else { return nil }
    return detailMembers.first { $0.name == name }?.value
  }

  /// The account's proofs before the change that the code reverts; `nil` for a code of an earlier version.
  package var before: UserRecord? {
    guard let json = detail(Self.beforeMember), let reader = try? RecordReader(json) else { return nil }
    return try? UserRecord(stored: reader)
  }

  /// True when reverting requires a second factor: the account had an authenticator before the change. One that was
  /// enrolled since is not required.
  package var requiresFactor: Bool {
    before?.factors.contains { if case .totp = $0.kind { true } else { false } } ?? false
  }

  /// The enrolment id of the second factor that the code removes.
  package var revertedFactor: String? { detail(Self.factorMember)?.string }

  /// The credentials to restore; `nil` when the code does not revert a change, or its second factor is gone. The codes of an
  /// earlier version store only the address or the factor; passkeys and recovery codes then count as an attacker's.
  fileprivate func proofs(before user: UserRecord) -> UserRecord? {
    guard Set<Ticket.Purpose>.reversalCodes.contains(purpose) else { return nil }
    if let before { return before }
    var before = user
    before.recoveryCodes = []
    switch purpose {
    case .recoverEmail: (before.email, before.passkeys) = (email, [])
    default:
      guard let factor = revertedFactor, user.factors.contains(where: { $0.id == factor }) else { return nil }
      before.factors.removeAll { $0.id == factor }
    }
    return before
  }
}
