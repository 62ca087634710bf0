import HearthCrypto
import HearthEngine

/// Recovery codes for users who have lost their second factor; each is valid once.
///
/// A code is shown in the place of the factor's own, so that every client can send one. Only a keyed hash of each is
/// stored.
package struct RecoveryCodes: Sendable {
  /// The number of codes.
  package static let count = 10
  /// The number of letters and digits in a code, without the hyphens: 80 bits.
  private static let length = 16

  let context: AccountsContext
  let changes: CredentialChangeService

  /// Generated codes, with the hashes to store.
  struct GeneratedCodes: Sendable, Redacted {
    let texts: [String]
    let hashes: [String]
  }

  /// Generates codes for an account.
  func generate(for uid: String) throws(AccountError) -> GeneratedCodes {
    var (texts, hashes): ([String], [String]) = ([], [])
    for _ in 0..<Self.count {
      let bytes = try context.secrets.draw { (random) throws(RandomnessError) in try random.bytes(Self.length * 5 / 8) }
      let letters = Array(TOTP.base32(bytes).lowercased())
      let groups = stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<$0 + 4]) }
      texts.append(groups.joined(separator: "-"))
      hashes.append(try hash(String(letters), uid))
    }
    return GeneratedCodes(texts: texts, hashes: hashes)
  }

  /// Replaces all recovery codes of a caller who has signed in with their second factor.
  ///
  /// - Throws: `credentialTooOld` without a recent sign-in; `secondFactorNotFound` for a caller who has no factor, or
  ///   has not shown it.
  package func replace(_ caller: Caller, client: ClientInfo, now: Instant) async throws(AccountError) -> [String] {
    try changes.require([.recoveryCodesReplaced], of: caller, now: now)
    let uid = caller.user.uid
    let new = try generate(for: uid)
    _ = try await changes.change(
      [.recoveryCodesReplaced], of: uid, by: .session(caller, .same), detail: "recovery codes", client: client, now: now
    ) { (_, user) throws(AccountError) in
      // A stolen password alone must not suffice to create codes that stand for the factor.
      guard let shown = caller.secondFactor, user.factors.contains(where: { $0.id == shown }) else {
        throw AccountError(.secondFactorNotFound, "Recovery codes need a sign-in with a second factor.")
      }
      user.recoveryCodes = new.hashes
    }
    return new.texts
  }

  /// The hash of a code as it is stored; nil for an invalid code.
  func hash(ofShown text: String, _ uid: String) throws(AccountError) -> String? {
    guard text.utf8.count <= Self.length * 2 else { return nil }
    let letters = text.lowercased().filter { $0 != "-" && $0 != " " }
    guard letters.utf8.count == Self.length, letters.utf8.allSatisfy({ $0.isASCIILetterOrDigit }) else { return nil }
    return try hash(letters, uid)
  }

  private func hash(_ letters: String, _ uid: String) throws(AccountError) -> String {
    guard
      let code = MessageAuthenticationCode.hmacSHA256(
        Array("\(uid)\u{0}\(letters)".utf8), key: context.keys.recoveryKey)
    else {
      throw AccountError(.unavailable)
    }
    return Digest.hexadecimal(code)
  }
}
