/// A credential for the server: an ID token, a legacy token or a namespace's secret.
///
/// It prints and reflects without the token, so that none gets into a log.
public struct DatabaseCredential: Sendable, Equatable {
  /// The secret text itself.
  public let token: String
  /// The account that the token stands for; nil when the token names none.
  public let userID: String?

  /// A credential.
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
