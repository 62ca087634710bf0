import HearthEngine
import HearthPlugin

/// What another provider's credential says about who shows it.
package enum PresentedCredential: Sendable {
  /// A person of that provider.
  ///
  /// - Parameter parameters: the credential's parts, as clients get them back.
  case identity(FederatedIdentity, parameters: [String: String])
  /// An account of this server.
  case named(NamedUser)
}

extension Accounts {
  /// Shows a credential to the provider that it is of.
  ///
  /// - Parameters:
  ///   - parameters: the credential's parts, as the provider documents them.
  ///   - isLinking: whether it is to be added to an account, and not to sign in with.
  ///   - isFromLoopback: whether a program of this machine asks: an emulator takes what it says at its word.
  /// - Throws: `operationNotAllowed` for a provider that is not switched on; what the provider says of the credential.
  package func presentedCredential(
    of providerID: String, parameters given: [String: String], isLinking: Bool, isFromLoopback: Bool,
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> PresentedCredential {
    let isEmulated = emulation(isFromLoopback: isFromLoopback) != nil
    if isEmulated, let claimed = try EmulatedCredential.identity(providerID: providerID, parameters: given) {
      var parameters = given
      // Clients make a credential of the answer, which for most providers needs an access token.
      parameters["access_token"] = parameters["access_token"] ?? EmulatedCredential.accessToken(of: providerID)
      return .identity(claimed, parameters: parameters)
    }
    guard let provider = providers.credentialProvider(providerID) else {
      if isEmulated { throw EmulatedCredential.unreadable(providerID) }
      throw AccountError(.operationNotAllowed, "The identity provider configuration is not found.")
    }
    let answer = try await ask(
      provider, .credential, isLinking ? .link : .signIn, parameters: given, client: client, now: now)
    switch answer {
    case .identity(let foreign):
      return .identity(FederatedIdentity(providerID: providerID, foreign), parameters: given)
    case .user(let named): return .named(named)
    default: throw AccountError(.invalidProviderResponse, "The provider names no identity.")
    }
  }
}
