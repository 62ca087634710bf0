import Foundation

/// The error of an operation that the server, or the client on its behalf, refused.
///
/// An `NSError` in the domain ``domain``, with the codes and descriptions of the SDKs for Apple systems. ``status``
/// distinguishes errors that have the same code.
public final class DatabaseError: NSError, @unchecked Sendable {
  // Unchecked because NSError is open for subclasses; its state does not change after init.

  /// The domain of all database errors.
  public static let domain = "com.firebase"

  /// The codes; the raw values are those of the SDKs for Apple systems.
  public enum Code: Int, Sendable, CaseIterable {
    /// The rules deny the operation.
    case permissionDenied = 1
    /// The server is unavailable.
    case unavailable = 2
    /// The app called `purgeOutstandingWrites`.
    case writeCanceled = 3
    /// Another status: see ``DatabaseError/status``.
    case other = 9999
  }

  /// The server's status, such as `permission_denied` or `datastale`; for errors of the client: `set`, `maxretry`,
  /// `disconnect`, `write_canceled`, `user_changed` or `network_error`.
  public let status: String

  /// - Parameters:
  ///   - status: The server's status.
  ///   - reason: The server's explanation, if it sent one.
  public init(status: String, reason: String? = nil) {
    self.status = status
    let (code, standard): (Code, String?) =
      switch status {
      case "permission_denied": (.permissionDenied, "Permission Denied")
      case "unavailable": (.unavailable, "Service is unavailable")
      case "write_canceled": (.writeCanceled, "Write cancelled by user")
      default: (.other, nil)
      }
    var information: [String: Any] = [NSLocalizedDescriptionKey: standard ?? reason ?? status]
    if let reason { information[NSLocalizedFailureReasonErrorKey] = reason }
    super.init(domain: Self.domain, code: code.rawValue, userInfo: information)
  }

  @available(*, unavailable)
  /// Decoding from an archive is not supported.
  public required init?(coder: NSCoder) { nil }
}
