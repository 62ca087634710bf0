import HearthTree

/// The source of a connection's credential. Its methods may be called on any thread and return at once.
public protocol CredentialProvider: AnyObject, Sendable {
  /// The account of the next credential, determined without a request; nil when signed out. Stored data and unsent
  /// writes belong to one account.
  var currentUserID: String? { get }

  /// Provides the credential for a connection.
  ///
  /// - Parameter forcingRefresh: The server has refused the last credential, so a cached one must not be used.
  /// - Parameter completion: Called exactly once, on any thread, possibly before this returns: with nil when signed
  ///   out, with an error when the token is not available now, in which case the connection is not opened.
  func credential(
    forcingRefresh: Bool, completion: @escaping @Sendable (Result<DatabaseCredential?, any Error>) -> Void)

  /// Calls `listener` at each sign-in, sign-out and token refresh. Calls are serial, on any thread; the credential at
  /// the time of this call is not reported. A change is reported before the call that made it returns, so that later
  /// writes are made as the new user.
  ///
  /// - Returns: The handle for ``removeCredentialListener(_:)``.
  func addCredentialListener(_ listener: @escaping @Sendable (DatabaseCredential?) -> Void) -> Int

  /// Removes a listener.
  func removeCredentialListener(_ handle: Int)

  /// Handles the server's report on a credential.
  func connectionReported(_ report: CredentialReport)
}

/// A server's report on a connection's credential.
public enum CredentialReport: Sendable {
  /// The server accepted it: `auth` is that of the rules, nil when there is none or for an administrator;
  /// `expiresSeconds` is the credential's expiry in seconds since 1970.
  case accepted(DatabaseCredential, auth: JSON?, expiresSeconds: Int64?)
  /// The server refused it.
  case refused(DatabaseCredential, status: String, reason: String)
  /// The server accepted it earlier and no longer does.
  case revoked(DatabaseCredential, status: String, reason: String)
  /// The connection has no credential, or has none any more.
  case cleared
}
