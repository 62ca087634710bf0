/// The status of a reply, or of a pushed end of authentication.
///
/// Clients compare these strings. Any other text is shown to the app as an error code of that name.
public struct Status: RawRepresentable, Sendable, Hashable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// It was done.
  public static let ok = Status(rawValue: "ok")
  /// The hash of a put does not match; the client runs its transaction again at once.
  public static let dataStale = Status(rawValue: "datastale")
  /// The rules do not allow it.
  public static let permissionDenied = Status(rawValue: "permission_denied")
  /// The client fetches a fresh token and reconnects.
  public static let expiredToken = Status(rawValue: "expired_token")
  /// As ``expiredToken``; after three in a row the client slows down and tells the developer.
  public static let invalidToken = Status(rawValue: "invalid_token")
  /// The database takes no requests now; a later try may succeed.
  public static let unavailable = Status(rawValue: "unavailable")
  /// A read that would return too much.
  public static let tooBig = Status(rawValue: "too_big")
  /// A write that touches too much.
  public static let writeTooBig = Status(rawValue: "write_too_big")
  /// It is not known whether a write was done. Like every status without a meaning to them, clients hand it to the app
  /// and do not try again.
  public static let outcomeUnknown = Status(rawValue: "outcome_unknown")
  /// It could not be done, for the reason in the text.
  public static let failed = Status(rawValue: "failed")
}
