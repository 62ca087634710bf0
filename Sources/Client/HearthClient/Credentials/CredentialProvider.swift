import HearthTree

/// Where a connection gets its credential. Every call may come on any thread and returns at once.
public protocol CredentialProvider: AnyObject, Sendable {
  /// The account that the next credential stands for, as far as that is known without asking anybody; nil for nobody. What
  /// is on disk and what waits to be sent belongs to one account.
  var currentUserID: String? { get }

  /// Gives the credential for a connection.
  ///
  /// - Parameter forcingRefresh: The server has refused the last one, so that one from a cache will not do.
  /// - Parameter completion: Is called exactly once, on any thread, also before this returns: with nil when nobody is
  ///   signed in, with an error when the token cannot be had now. Nothing is opened without one then.
  func credential(
    forcingRefresh: Bool, completion: @escaping @Sendable (Result<DatabaseCredential?, any Error>) -> Void)

  /// Calls `listener` with each change: somebody signed in or out, or a token was refreshed. Calls come one after
  /// another, on any thread; the credential at the time of this call is not told. A change is told before the call that made
  /// it returns, so that what is written next is written in the new name.
  ///
  /// - Returns: What ``removeCredentialListener(_:)`` takes.
  func addCredentialListener(_ listener: @escaping @Sendable (DatabaseCredential?) -> Void) -> Int

  /// Ends the calls of a listener.
  func removeCredentialListener(_ handle: Int)

  /// Takes note of what the server said.
  func connectionReported(_ report: CredentialReport)
}

/// What a server said of a connection's credential.
public enum CredentialReport: Sendable {
  /// It was accepted: the rules' `auth`, nil for none or for an administrator, and the time, in seconds since 1970, when
  /// the credential ends.
  case accepted(DatabaseCredential, auth: JSON?, expiresSeconds: Int64?)
  /// It was refused.
  case refused(DatabaseCredential, status: String, reason: String)
  /// It was accepted earlier and is good for nothing any more.
  case revoked(DatabaseCredential, status: String, reason: String)
  /// The connection has none any more, or came up without.
  case cleared
}
