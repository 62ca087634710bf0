/// The status of a reply, or of a pushed end of authentication.
///
/// Clients compare these strings. Clients pass any other text to the app as an error code.
public struct Status: RawRepresentable, Sendable, Hashable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// Success.
  public static let ok = Status(rawValue: "ok")
  /// The hash of a put does not match; the client runs its transaction again at once.
  public static let dataStale = Status(rawValue: "datastale")
  /// The rules do not allow the request.
  public static let permissionDenied = Status(rawValue: "permission_denied")
  /// The token has expired; the client fetches a new one and reconnects.
  public static let expiredToken = Status(rawValue: "expired_token")
  /// The token is invalid; clients react as to ``expiredToken``; after three in a row they retry more slowly and report
  /// it to the developer.
  public static let invalidToken = Status(rawValue: "invalid_token")
  /// The database accepts no requests at the moment; a later attempt may succeed.
  public static let unavailable = Status(rawValue: "unavailable")
  /// A read that would return too much data.
  public static let tooBig = Status(rawValue: "too_big")
  /// A write that affects too much data.
  public static let writeTooBig = Status(rawValue: "write_too_big")
  /// The result of a write is unknown. As with every status that they do not know, clients pass it to the app and do
  /// not retry.
  public static let outcomeUnknown = Status(rawValue: "outcome_unknown")
  /// The request failed, for the reason in the text.
  public static let failed = Status(rawValue: "failed")
}
