import Foundation

/// An invalid argument: a path with a forbidden character, a value of an unsupported type, a bound that does not fit
/// the order.
///
/// Methods that can throw throw this error on the caller's thread, before anything is queued. Methods that cannot throw
/// end the program with ``description``; the SDKs for Apple systems raise an Objective-C exception.
public struct DatabaseArgumentError: Error, Sendable, Equatable {
  /// The kind of mistake. The raw values are the names of the exceptions on Apple systems.
  public enum Kind: String, Sendable, CaseIterable {
    /// The path is empty or has a forbidden character.
    case path = "InvalidPathValidation"
    /// The key is empty or has a forbidden character.
    case key = "InvalidKeyValidation"
    /// The value has an unsupported type.
    case data = "InvalidFirebaseData"
    /// A value under `.value` is neither a text, a number, a boolean nor null.
    case leafValue = "InvalidLeafValueType"
    /// A write goes to `.info`, which only the client writes.
    case writablePath = "WritablePathValidation"
    /// The query is invalid.
    case query = "InvalidQueryParameter"
    /// The URL does not lead to a database.
    case url = "InvalidDatabaseURL"
    /// The setting must be made before the database is used.
    case inUse = "FIRDatabaseAlreadyInUse"
    /// The app is not configured, or names no database.
    case app = "FIRAppNotConfigured"
  }

  /// The kind of mistake.
  public var kind: Kind
  /// The mistake, its location, and the allowed values.
  public var message: String

  /// Creates an error with a message for the app's developer.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// Returns the result of `body`; a mistake that it throws ends the program with its text.
  ///
  /// Uses `fatalError`, because `preconditionFailure` prints nothing in a release build.
  package static func trapping<Result>(_ body: () throws -> Result) -> Result {
    do { return try body() } catch { fatalError("\(error)") }
  }
}

extension DatabaseArgumentError: CustomStringConvertible {
  public var description: String { "\(kind.rawValue): \(message)" }
}

extension DatabaseArgumentError: LocalizedError {
  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }
}
