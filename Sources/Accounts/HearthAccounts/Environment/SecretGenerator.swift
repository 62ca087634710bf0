import HearthBytes
import HearthCrypto

/// Generates unguessable values: user ids, codes, tokens.
package struct SecretGenerator: Sendable {
  /// The source of random bytes.
  package let random: RandomBytes
  private let notice: @Sendable (AccountsNotice) -> Void

  /// Creates a generator that uses an environment's random bytes, and reports a failure of their source to that environment.
  package init(_ environment: AccountsEnvironment) {
    random = environment.random
    notice = environment.notice
  }

  /// Returns a user id: 28 letters and digits, about 166 bits.
  ///
  /// - Throws: `unavailable` without randomness, as every function here.
  package func uid() throws(AccountError) -> String {
    try draw { (random) throws(RandomnessError) in try random.alphanumeric(length: 28) }
  }

  /// Returns a WebAuthn user handle: 30 letters and digits without meaning. In base64 they need no padding.
  func userHandle() throws(AccountError) -> String {
    try draw { (random) throws(RandomnessError) in try random.alphanumeric(length: 30) }
  }

  /// Returns the end of a tenant's id: five small letters and digits, which distinguish tenants of one name.
  func tenantSuffix() throws(AccountError) -> String {
    try draw { (random) throws(RandomnessError) in try random.alphanumeric(length: 5).lowercased() }
  }

  /// Returns the requested user id, or a random one.
  ///
  /// - Throws: `invalidArgument` for an invalid user id.
  package func uid(wanted: String?) throws(AccountError) -> String {
    guard let wanted else { return try uid() }
    guard UserRecord.isUID(wanted) else { throw AccountError(.invalidArgument, "A localId has 1 to 128 characters") }
    return wanted
  }

  /// Returns a user id in the form of the 2.x service: 122 random bits as a UUID.
  package func uuid() throws(AccountError) -> String {
    var bytes = try draw { (random) throws(RandomnessError) in try random.bytes(16) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }.joined(separator: "-")
  }

  /// Returns 256 random bits as text.
  package func text() throws(AccountError) -> String {
    try draw { (random) throws(RandomnessError) in Base64URL.encode(try random.bytes(32)) }
  }

  /// Returns a code for a ticket.
  package func code() throws(AccountError) -> NewCode { NewCode(text: try text()) }

  /// Generates a value from random bytes with the closure.
  ///
  /// - Throws: `unavailable` without random bytes, which is reported to the operator.
  package func draw<Value>(_ draw: (RandomBytes) throws(RandomnessError) -> Value) throws(AccountError) -> Value {
    do {
      return try draw(random)
    } catch {
      notice(AccountsNotice(.error, error.description))
      throw AccountError(.unavailable)
    }
  }
}

/// A generated code: 256 random bits as text.
package struct NewCode: Sendable, Redacted {
  /// The secret text that its holder presents.
  package let text: String
  /// The key of its ticket.
  package var hash: Digest { Digest(sha256: text.utf8) }
}

extension UserRecord {
  /// Returns true when a text can be a user id: 1 to 128 UTF-16 units, no control characters.
  package static func isUID(_ text: String) -> Bool { IDTokenClaims.isUID(text) }
}
