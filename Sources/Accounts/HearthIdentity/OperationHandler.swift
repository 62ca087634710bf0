import HearthAccounts
import HearthCrypto
import HearthTree

/// Endpoints of one area, over the accounts of one project.
protocol EndpointGroup: Sendable {
  init(accounts: Accounts)
}

/// The handler of an operation.
enum OperationHandler: Sendable {
  /// Reads one JSON object and answers one.
  case call(@Sendable (Accounts, IdentityCall) async throws(AccountError) -> JSON)
  /// Reads one JSON object or form, and has errors of its own form.
  case answer(@Sendable (Accounts, IdentityCall) async -> IdentityResponse)
  /// Reads and answers as the 2.x service did.
  case legacy(@Sendable (Accounts, LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError>)
  /// Returns a page, or data that a page reads.
  case page(
    IdentityOperation.Audience, @Sendable (IdentityEndpoints, IdentityRequest) async -> IdentityResponse)
  /// Returns public data that may be cached.
  case published(@Sendable (Accounts) -> [UInt8])
  /// Refuses a part of the protocol that is not served here.
  case unserved(String)
  case unknown

  var isLegacy: Bool { if case .legacy = self { true } else { false } }
}
