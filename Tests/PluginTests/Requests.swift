import HearthPlugin
import HearthTree
import Testing

/// Requests to plugins, as the server makes them.
enum Requests {
  static let nowSeconds: Int64 = 1_800_000_000

  static func make(
    _ method: SignInMethod, _ parameters: [String: String], operation: SignInRequest.Operation = .signIn,
    serviceAccounts: [ProviderFacts.ServiceAccount] = [], nowSeconds: Int64 = nowSeconds
  ) -> SignInRequest {
    SignInRequest(
      id: "test", providerID: "test", method: method, operation: operation, parameters: parameters,
      facts: ProviderFacts(projectID: "demo", nowSeconds: nowSeconds, serviceAccounts: serviceAccounts))
  }

  static func settings(
    _ json: String, dataDirectory: String = "/nonexistent", passwordPolicy: PasswordPolicy = PasswordPolicy()
  ) throws -> PluginSettings {
    PluginSettings(
      values: try #require(JSON(parsing: json.utf8)), projectID: "demo-project", dataDirectory: dataDirectory,
      passwordPolicy: passwordPolicy)
  }
}

extension SignInAnswer {
  var refusal: SignInRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
  var identity: ForeignIdentity? { if case .identity(let identity) = self { identity } else { nil } }
  var user: NamedUser? { if case .user(let user) = self { user } else { nil } }
}
