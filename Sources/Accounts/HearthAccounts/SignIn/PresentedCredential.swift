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
