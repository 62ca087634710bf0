import HearthTree

/// The source of a connection's credential. Every call may come on any thread and returns at once.
public protocol CredentialProvider: AnyObject, Sendable {
  /// The account of the next credential, as far as it is known without a request; nil when signed out. Stored data and
  /// unsent writes belong to one account.
  var currentUserID: String? { get }

  /// Provides the credential for a connection.
  ///
  /// - Parameter forcingRefresh: The server has refused the last credential, so a cached one must not be used.
  /// - Parameter completion: Is called exactly once, on any thread, also before this returns: with nil when signed out,
  ///   with an error when the token is unavailable now. The connection is not opened without one then.
  func credential(
    forcingRefresh: Bool, completion: @escaping @Sendable (Result<DatabaseCredential?, any Error>) -> Void)

  /// Calls `listener` at each sign-in, sign-out and token refresh. Calls come one after another, on any thread; the
  /// credential at the time of this call is not reported. A change is reported before the call that made it returns, so
  /// that later writes are made in the new user's name.
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
  /// The server accepted it: with the rules' `auth`, nil for none or for an administrator, and the credential's expiry
  /// in seconds since 1970.
  case accepted(DatabaseCredential, auth: JSON?, expiresSeconds: Int64?)
  /// The server refused it.
  case refused(DatabaseCredential, status: String, reason: String)
  /// The server accepted it earlier and no longer does.
  case revoked(DatabaseCredential, status: String, reason: String)
  /// The connection has no credential, from its start or any more.
  case cleared
}
