import HearthBytes
import HearthCrypto
import HearthEngine
import HearthTree

/// Issues challenges for passkeys and accepts each once.
///
/// An open challenge is not stored: its data is sealed in it, so that requesting many costs nothing, and every node of
/// a cluster accepts them, also after a restart. Answered ones are stored until they expire.
struct PasskeyChallenges: Sendable {
  let context: AccountsContext

  /// The lifetime of a challenge.
  static let lifetimeSeconds: Int64 = 300

  enum Purpose: String, Sendable {
    case enrolment, signIn
  }

  /// A valid challenge.
  struct Challenge: Sendable, Redacted {
    /// The challenge in the form that authenticators sign.
    let bytes: [UInt8]
    /// The user who enrols a key; nil for a sign-in.
    let uid: String?
    /// The user handle for a new key.
    let userHandle: String?
    fileprivate let endsAtSeconds: Int64
    fileprivate var mark: Digest { Digest(sha256: Array("passkey challenge ".utf8) + bytes) }
  }

  /// A new challenge, in base64url.
  func issue(
    _ purpose: Purpose, uid: String? = nil, userHandle: String? = nil, now: Instant
  ) throws(AccountError) -> String {
    var members = [
      JSON.Member("n", .string(try context.secrets.text())),
      JSON.Member("e", .int(now.wallMilliseconds / 1000 + Self.lifetimeSeconds)),
    ]
    if let uid { members.append(JSON.Member("u", .string(uid))) }
    if let userHandle { members.append(JSON.Member("h", .string(userHandle))) }
    let sealed = try context.secrets.draw { (_) throws(RandomnessError) in
      try context.keys.seal(JSON.object(members).text(), for: sealPurpose(purpose))
    }
    // Apps decode the challenge by either base64 alphabet: in base64url a text of letters, digits, - and _ has neither of the
    // characters in which the two differ, and padded to a multiple of three bytes it needs no padding.
    let padding = (3 - sealed.utf8.count % 3) % 3
    return Base64URL.encode(Array(sealed.utf8) + [UInt8](repeating: UInt8(ascii: "."), count: padding))
  }

  /// Returns the challenge that a browser's client data answers. The rest of the data is checked elsewhere.
  ///
  /// - Throws: `invalidAuthenticatorResponse` for a foreign or expired challenge.
  func answered(by clientDataJSON: [UInt8], _ purpose: Purpose, now: Instant) throws(AccountError) -> Challenge {
    let foreign = AccountError(
      .invalidAuthenticatorResponse, "The challenge in clientDataJSON was not issued by this server for this request.")
    guard clientDataJSON.count <= 16_384, let text = JSON(parsing: clientDataJSON)?["challenge"]?.string,
      let bytes = Base64URL.decode(Array(text.utf8)), let padded = String(validating: bytes, as: UTF8.self),
      let opened = context.keys.unseal(Self.unpadded(padded), for: sealPurpose(purpose)),
      let json = JSON(parsing: opened),
      let end = json["e"]?.int
    else { throw foreign }
    guard now.wallMilliseconds / 1000 < end else {
      throw AccountError(.invalidAuthenticatorResponse, "The challenge has expired. Start again.")
    }
    return Challenge(
      bytes: bytes, uid: json["u"]?.string, userHandle: json["h"]?.string, endsAtSeconds: end)
  }

  /// Marks a challenge as used. Of concurrent requests with the same challenge one succeeds.
  ///
  /// - Throws: `invalidAuthenticatorResponse` for a challenge that was used before.
  func consume(
    _ challenge: Challenge, in transaction: inout AccountTransaction, now: Instant
  ) throws(AccountError) {
    try requireUnused(challenge, in: transaction)
    // The stored mark has no user, so that deleting a user's tickets does not delete it.
    transaction.putTicket(
      challenge.mark,
      Ticket(
        purpose: .usedChallenge, uid: nil, email: nil, createdAtSeconds: now.wallMilliseconds / 1000,
        expiresAtSeconds: challenge.endsAtSeconds + Ticket.Purpose.usedChallenge.lifetimeSeconds))
  }

  /// - Throws: `invalidAuthenticatorResponse` for a challenge that was used before.
  func requireUnused(_ challenge: Challenge, in records: some AccountReading) throws(AccountError) {
    guard records.ticket(challenge.mark) == nil else {
      throw AccountError(.invalidAuthenticatorResponse, "This response was used before. Start again.")
    }
  }

  private static func unpadded(_ text: String) -> String {
    String(decoding: text.utf8.reversed().drop { $0 == UInt8(ascii: ".") }.reversed(), as: UTF8.self)
  }

  private func sealPurpose(_ purpose: Purpose) -> String { "passkey \(purpose.rawValue) \(context.tenantID ?? "")" }
}
