/// An account of a back-end program: it signs custom tokens and requests access tokens.
public struct ServiceAccount: Sendable, Equatable {
  /// `NAME@PROJECT.iam.gserviceaccount.com`
  public var email: String
  /// The part of ``email`` before the `@`.
  public var name: String
  /// True when its signatures and access tokens are refused.
  public var isDisabled = false
  /// The public keys: key id → "BEGIN PUBLIC KEY" text. Private keys are not stored.
  public var publicKeys: [String: String]
  /// The time of creation, since 1970.
  public var createdAtMilliseconds: Int64
  /// The generation of valid access tokens; every revocation increments it.
  public var tokenGeneration: Int64 = 0

  /// Creates an enabled account.
  public init(email: String, name: String, publicKeys: [String: String], createdAtMilliseconds: Int64) {
    self.email = email
    self.name = name
    self.publicKeys = publicKeys
    self.createdAtMilliseconds = createdAtMilliseconds
  }

  /// Revokes its access tokens.
  mutating func endTokens() { tokenGeneration += 1 }

  /// Returns true when an access token of the account is valid.
  ///
  /// - Parameter generation: the generation in the token.
  func admits(generation: Int64?) -> Bool { !isDisabled && generation == tokenGeneration }
}
