import HearthAccounts
import HearthCrypto
import HearthTree

/// Endpoints of one area, over the accounts of one project.
protocol EndpointArea: Sendable {
  init(accounts: Accounts)
}

/// What answers an operation.
enum Handler: Sendable {
  /// Reads one JSON object and answers one.
  case call(@Sendable (Accounts, IdentityCall) async throws(AccountError) -> JSON)
  /// Reads one JSON object or form, and has errors of its own form.
  case answer(@Sendable (Accounts, IdentityCall) async -> IdentityResponse)
  /// Reads and answers as the 2.x service did.
  case legacy(@Sendable (Accounts, LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError>)
  /// Shows a page, or what a page reads.
  case page(
    IdentityOperation.Audience, @Sendable (IdentityEndpoints, IdentityRequest) async -> IdentityResponse)
  /// Gives what anybody may know and keep.
  case published(@Sendable (Accounts) -> [UInt8])
  /// Is part of the protocol, and not served here.
  case unserved(String)
  case unknown

  var isLegacy: Bool { if case .legacy = self { true } else { false } }
}
