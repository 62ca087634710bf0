import HearthCrypto
import HearthPlugin

/// A revocation of tokens that the server did not issue, by their verifier.
public struct ForeignTokenRevocation: Sendable, Equatable {
  /// The verifier's name.
  public var verifier: String
  /// The trusted issuer of the tokens; nil for tokens that a plugin verifies.
  public var issuer: String? { Self.issuer(ofVerifier: verifier) }
  private let tokens: TokenRevocation
  /// The number of the revocation: it applies to answers to questions asked before it.
  let serial: UInt64

  init(_ tokens: TokenRevocation, of verifier: String, serial: UInt64) {
    self.verifier = verifier
    self.tokens = tokens
    self.serial = serial
  }

  /// True when every token of the verifier is revoked.
  public var isEverything: Bool { tokens.isEverything }
  /// SHA-256 of tokens in lower-case hexadecimal.
  public var digests: Set<String> { tokens.digests }
  /// The users whose tokens are revoked.
  public var uids: Set<String> { tokens.uids }

  /// Returns the trusted issuer whose tokens the verifier of that name verifies; nil for a plugin, whose name has no
  /// blank.
  static func issuer(ofVerifier name: String) -> String? {
    name.hasPrefix("issuer ") ? String(name.dropFirst("issuer ".count)) : nil
  }

  /// Returns true when a credential that was valid is revoked by this.
  package func ends(_ credential: VerifiedCredential) -> Bool {
    guard let voucher = credential.voucher, voucher.verifier == verifier, voucher.serial < serial else { return false }
    return tokens.includes(digest: voucher.digest, uid: credential.uid)
  }
}
