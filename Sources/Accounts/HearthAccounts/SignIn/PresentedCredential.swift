import HearthPlugin

/// The content of another provider's credential.
package enum PresentedCredential: Sendable {
  /// A user of that provider.
  ///
  /// - Parameter parameters: the credential's parts, as clients get them back.
  case identity(FederatedIdentity, parameters: [String: String])
  /// An account of this server.
  case named(NamedUser)
}
