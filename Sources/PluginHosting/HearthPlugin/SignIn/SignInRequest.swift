/// One credential to be looked at.
public struct SignInRequest: Sendable, Codable, Equatable {
  /// What the client wants the credential for.
  public enum Operation: String, Sendable, Codable {
    /// Come in; the account is there, or may be made when the provider vouches for it.
    case signIn
    /// Make an account with this credential.
    case signUp
    /// Add this credential to the account of somebody who is signed in.
    case link
    /// Replace the credential of an account: a new password.
    case change
  }

  /// Names the request in logs.
  public var id: String
  /// The id of the provider that is asked; what the client named, for ``SignInMethod/credential``.
  public var providerID: String
  /// The kind of credential; one of the manifest's methods.
  public var method: SignInMethod
  /// What the client wants it for. A provider refuses an operation that it does not serve.
  public var operation: Operation
  /// The credential's parts, as the client sent them; ``SignInMethod`` says which. Secret: never to be logged. The request
  /// prints none of them.
  public var parameters: [String: String]
  /// What the server knows; a provider decides by this and the parameters alone.
  public var facts: ProviderFacts

  /// A request as the server makes it, for tests of a provider.
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

/// What the server tells a provider beside the credential.
public struct ProviderFacts: Sendable, Codable, Equatable {
  /// What a provider can ask to be told.
  public enum Need: String, Sendable, Codable {
    /// ``ProviderFacts/serviceAccounts``
    case serviceAccounts
  }

  /// A service account and the public halves of its keys.
  public struct ServiceAccount: Sendable, Codable, Equatable {
    /// What tokens name as their issuer.
    public var email: String
    /// Key id → "BEGIN PUBLIC KEY" text.
    public var publicKeys: [String: String]

    /// A service account with its keys.
    public init(email: String, publicKeys: [String: String]) {
      self.email = email
      self.publicKeys = publicKeys
    }
  }

  /// The project that the client signs in to.
  public var projectID: String
  /// Seconds since 1970; a provider reads no clock of its own for a decision.
  public var nowSeconds: Int64
  /// Those that are enabled; empty unless the manifest asks for them.
  public var serviceAccounts: [ServiceAccount]

  /// What a provider is told; without accounts unless its manifest asks for them.
  public init(projectID: String, nowSeconds: Int64, serviceAccounts: [ServiceAccount] = []) {
    self.projectID = projectID
    self.nowSeconds = nowSeconds
    self.serviceAccounts = serviceAccounts
  }
}
