/// The regular lookup of signed-in users at their issuer, which finds users that were disabled, deleted or signed out
/// there.
public struct UserLookup: Sendable, Equatable {
  /// The default interval in seconds.
  public static let intervalSecondsDefault: Int64 = 60

  /// The path of the service account's key file.
  public var keyFile: String
  /// Secret. The content of the key file; empty until the server has read it.
  public var key = ""
  /// The URL of the issuer's `accounts:lookup`.
  public var url: String
  /// The interval in seconds.
  public var intervalSeconds = intervalSecondsDefault

  /// Creates a lookup at the default interval.
  public init(keyFile: String, url: String) {
    self.keyFile = keyFile
    self.url = url
  }

  /// Returns the URL of `accounts:lookup` for the users of a Firebase project.
  ///
  /// Source: "Method: projects.accounts.lookup", in the reference of Identity Platform's REST API.
  public static func url(projectID: String) -> String {
    "https://identitytoolkit.googleapis.com/v1/projects/\(projectID)/accounts:lookup"
  }
}

extension UserLookup: CustomStringConvertible, CustomReflectable {
  /// The URL; no key.
  public var description: String { "<UserLookup \(url)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The receiver of the results of a ``UserLookup``.
package struct UserLookupObserver: Sendable {
  /// Returns the time in seconds since 1970.
  package var nowSeconds: @Sendable () -> Int64
  /// Revokes tokens of the issuer.
  package var revoke: @Sendable (TokenRevocation) -> Void
  /// Reports that lookups fail, or that they succeed again, in a sentence without secrets.
  package var report: @Sendable (_ isFailure: Bool, _ text: String) -> Void

  /// Creates an observer of these functions, which are called from any thread.
  package init(
    nowSeconds: @escaping @Sendable () -> Int64, revoke: @escaping @Sendable (TokenRevocation) -> Void,
    report: @escaping @Sendable (_ isFailure: Bool, _ text: String) -> Void
  ) {
    (self.nowSeconds, self.revoke, self.report) = (nowSeconds, revoke, report)
  }
}

/// The state of a ``UserLookup``.
package struct UserLookupStatus: Sendable, Equatable {
  /// The number of users that are looked up.
  package var users: Int
  /// The time of the last complete lookup in seconds since 1970; nil for none.
  package var succeededAtSeconds: Int64?
  /// The reason why the last lookup failed; nil when it succeeded.
  package var problem: String?

  /// Creates a status.
  package init(users: Int, succeededAtSeconds: Int64? = nil, problem: String? = nil) {
    (self.users, self.succeededAtSeconds, self.problem) = (users, succeededAtSeconds, problem)
  }
}
