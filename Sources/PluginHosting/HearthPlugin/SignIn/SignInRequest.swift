/// A credential to check, with its context.
public struct SignInRequest: Sendable, Codable, Equatable {
  /// The purpose for which the client sends the credential.
  public enum Operation: String, Sendable, Codable {
    /// A sign-in; the account exists, or may be made when the provider vouches for it.
    case signIn
    /// A new account with this credential.
    case signUp
    /// An addition of this credential to the account of a signed-in user.
    case link
    /// A replacement of the credential of an account: a new password.
    case change
  }

  /// The id of the request in logs.
  public var id: String
  /// The id of the provider that is called; the client's choice for ``SignInMethod/credential``.
  public var providerID: String
  /// The kind of credential; one of the manifest's methods.
  public var method: SignInMethod
  /// The purpose of the request. A provider refuses an operation that it does not serve.
  public var operation: Operation
  /// The credential's parts, as the client sent them; ``SignInMethod`` lists them. Secret: never to be logged. The
  /// request prints none of them.
  public var parameters: [String: String]
  /// The server's facts; a provider decides by these and the parameters alone.
  public var facts: ProviderFacts

  /// Creates a request as the server makes it, for tests of a provider.
  public init(
    id: String, providerID: String, method: SignInMethod, operation: Operation, parameters: [String: String],
    facts: ProviderFacts
  ) {
    self.id = id
    self.providerID = providerID
    self.method = method
    self.operation = operation
    self.parameters = parameters
    self.facts = facts
  }
}

/// The server's facts that a provider gets beside the credential.
public struct ProviderFacts: Sendable, Codable, Equatable {
  /// A fact that a provider can ask for.
  public enum Need: String, Sendable, Codable {
    /// Asks for ``ProviderFacts/serviceAccounts``.
    case serviceAccounts
  }

  /// A service account and the public halves of its keys.
  public struct ServiceAccount: Sendable, Codable, Equatable {
    /// The account's address, which tokens name as their issuer.
    public var email: String
    /// The public keys by key id, as "BEGIN PUBLIC KEY" text.
    public var publicKeys: [String: String]

    /// Creates a service account with its keys.
    public init(email: String, publicKeys: [String: String]) {
      self.email = email
      self.publicKeys = publicKeys
    }
  }

  /// The project that the client signs in to.
  public var projectID: String
  /// The time in seconds since 1970; a provider reads no clock of its own for a decision.
  public var nowSeconds: Int64
  /// The enabled service accounts; empty unless the manifest asks for them.
  public var serviceAccounts: [ServiceAccount]

  /// Creates the facts for a provider; without accounts unless its manifest asks for them.
  public init(projectID: String, nowSeconds: Int64, serviceAccounts: [ServiceAccount] = []) {
    self.projectID = projectID
    self.nowSeconds = nowSeconds
    self.serviceAccounts = serviceAccounts
  }
}
