/// A credential for the server: an ID token, a legacy token or a namespace's secret.
///
/// Its descriptions and its mirror omit the token, so that it does not appear in logs.
public struct DatabaseCredential: Sendable, Equatable {
  /// The secret text.
  public let token: String
  /// The account of the token; nil when the token has none.
  public let userID: String?

  /// Creates a credential.
  public init(token: String, userID: String?) {
    self.token = token
    self.userID = userID
  }
}

extension DatabaseCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "credential of \(userID ?? "no account")" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["userID": userID as Any]) }
}
