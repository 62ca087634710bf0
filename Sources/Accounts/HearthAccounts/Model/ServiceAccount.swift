/// An account of a back-end program: it signs custom tokens and asks for access tokens.
public struct ServiceAccount: Sendable, Equatable {
  /// `NAME@PROJECT.iam.gserviceaccount.com`
  public var email: String
  /// The part of ``email`` before the sign.
  public var name: String
  /// Its signatures and access tokens count no longer.
  public var isDisabled = false
  /// Key id → "BEGIN PUBLIC KEY" text. The private halves are not kept.
  public var publicKeys: [String: String]
  /// Since 1970.
  public var createdAtMilliseconds: Int64
  /// Grows with whatever ends its access tokens: those count that carry this number.
  public var tokenGeneration: Int64 = 0

  /// An account that counts.
  public init(email: String, name: String, publicKeys: [String: String], createdAtMilliseconds: Int64) {
    self.email = email
    self.name = name
    self.publicKeys = publicKeys
    self.createdAtMilliseconds = createdAtMilliseconds
  }

  /// Ends the access tokens that it was given.
  mutating func endTokens() { tokenGeneration += 1 }

  /// Returns true when an access token counts that was given to it.
  ///
  /// - Parameter generation: what the token carries.
  func admits(generation: Int64?) -> Bool { !isDisabled && generation == tokenGeneration }
}
