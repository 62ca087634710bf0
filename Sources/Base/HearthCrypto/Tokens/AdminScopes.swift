/// The parts of the server that an access token gives access to.
public struct AdminScopes: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Databases and their rules.
  public static let database = AdminScopes(rawValue: 1)
  /// Accounts.
  public static let identity = AdminScopes(rawValue: 2)
  /// All scopes.
  public static let all: AdminScopes = [.database, .identity]

  /// Reads the scope names that Google's client libraries request; unknown names are ignored.
  public init(names: [String]) {
    self = []
    for name in names {
      switch name {
      case "https://www.googleapis.com/auth/cloud-platform", "https://www.googleapis.com/auth/firebase":
        formUnion(.all)
      case "https://www.googleapis.com/auth/firebase.database": formUnion(.database)
      case "https://www.googleapis.com/auth/identitytoolkit": formUnion(.identity)
      default: break
      }
    }
  }
}
