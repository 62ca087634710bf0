/// What an access token opens.
public struct AdminScopes: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The databases and their rules.
  public static let database = AdminScopes(rawValue: 1)
  /// The accounts.
  public static let identity = AdminScopes(rawValue: 2)
  /// Everything there is.
  public static let all: AdminScopes = [.database, .identity]

  /// From the scope names that the service's client libraries ask for; names that mean nothing here open nothing.
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
