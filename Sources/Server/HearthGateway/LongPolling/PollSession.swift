import HearthCrypto

/// The id of a client's long-poll session, and the password that proves its ownership. Never logged.
struct PollSession: Sendable {
  /// The id, of digits.
  let id: String
  /// The password, of letters and digits.
  let password: String

  static let passwordLength = 20
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// Returns a new session: the password takes 119 bits of the system's randomness.
  static func make() -> PollSession {
    var random = SystemRandomNumberGenerator()
    let letters = (0..<passwordLength).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
    return PollSession(
      id: String(UInt64.random(in: 1_000_000_000...999_999_999_999_999, using: &random)),
      password: String(decoding: letters, as: UTF8.self))
  }

  /// Returns true when a request with these values may use the session. Takes the same time for every wrong password.
  func isAuthenticated(by shown: PollSession) -> Bool {
    id == shown.id && ConstantTime.equal(Array(password.utf8), Array(shown.password.utf8))
  }

  /// True when the values can be those of a session; only such values are ever written into a page.
  var isWellFormed: Bool {
    let isLetter = { (byte: UInt8) in Self.alphabet.contains(byte) }
    return (1...20).contains(id.utf8.count) && id.utf8.allSatisfy { (0x30...0x39).contains($0) }
      && (1...64).contains(password.utf8.count) && password.utf8.allSatisfy(isLetter)
  }
}
