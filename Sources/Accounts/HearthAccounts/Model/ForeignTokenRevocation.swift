import HearthCrypto
import HearthPlugin

/// Tokens that the server did not make and that their verifier has revoked.
public struct ForeignTokenRevocation: Sendable, Equatable {
  /// The verifier's name.
  public var verifier: String
  private let tokens: TokenRevocation
  /// Answers to questions that were asked before the verifier's revocation of this number are meant.
  let serial: UInt64

  init(_ tokens: TokenRevocation, of verifier: String, serial: UInt64) {
    self.verifier = verifier
    self.tokens = tokens
    self.serial = serial
  }

  /// Every token of the verifier is meant.
  public var isEverything: Bool { tokens.isEverything }
  /// SHA-256 of tokens in lower-case hexadecimal.
  public var digests: Set<String> { tokens.digests }
  /// Users whose tokens are meant.
  public var uids: Set<String> { tokens.uids }

  /// Returns true when a credential that counted when it was shown counts no longer.
  package func ends(_ credential: VerifiedCredential) -> Bool {
    guard let voucher = credential.voucher, voucher.verifier == verifier, voucher.serial < serial else { return false }
    return tokens.means(digest: voucher.digest, uid: credential.uid)
  }
}
