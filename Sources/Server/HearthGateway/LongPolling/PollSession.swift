import HearthCrypto

/// How a client names its long-poll session, and proves that it is its own. Never logged.
struct PollSession: Sendable {
  /// Digits.
  let id: String
  /// Letters and digits.
  let password: String

  static let passwordLength = 20
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// A new one: the password takes 119 bits of the system's randomness.
  static func make() -> PollSession {
    var random = SystemRandomNumberGenerator()
    let letters = (0..<passwordLength).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
    return PollSession(
      id: String(UInt64.random(in: 1_000_000_000...999_999_999_999_999, using: &random)),
      password: String(decoding: letters, as: UTF8.self))
  }

  /// Returns true when somebody who shows this may have the session. Takes the same time for every wrong password.
  func isOpened(by shown: PollSession) -> Bool {
    id == shown.id && ConstantTime.equal(Array(password.utf8), Array(shown.password.utf8))
  }

  /// False for what cannot be a session; only what can be is ever written into a page.
  var isWellFormed: Bool {
    let isLetter = { (byte: UInt8) in Self.alphabet.contains(byte) }
    return (1...20).contains(id.utf8.count) && id.utf8.allSatisfy { (0x30...0x39).contains($0) }
      && (1...64).contains(password.utf8.count) && password.utf8.allSatisfy(isLetter)
  }
}
