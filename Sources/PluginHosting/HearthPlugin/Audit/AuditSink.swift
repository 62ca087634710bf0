/// A receiver of the audit trail's records, for a system that stores or monitors them elsewhere.
public protocol AuditSink: Sendable {
  /// The sink's name in the operator's log.
  var name: String { get }

  /// Takes one record. Called once the record is durable, one record after the other; no sign-in waits for it.
  ///
  /// - Throws: an ``AuditSinkError`` when the record was not taken. After any other error the record is dropped.
  func record(_ entry: AuditEntry) async throws
}

/// The reason why a sink has not taken a record.
public struct AuditSinkError: Error, Sendable, CustomStringConvertible {
  /// The text for the operator's log: no secret and no personal data.
  public var description: String
  /// True when another attempt may succeed.
  public var isTemporary: Bool

  /// Creates an error with the given text.
  public init(_ description: String, isTemporary: Bool) {
    self.description = description
    self.isTemporary = isTemporary
  }
}

/// A record of the audit trail, as `hearth audit` shows it.
public struct AuditEntry: Sendable, Codable, Equatable {
  /// The record's number, counted from 1 for each project. A missing number was not sent; a repeated one is the same
  /// record.
  public var sequence: Int64
  /// The time of the record: RFC 3339, UTC, with milliseconds.
  public var time: String
  /// The event's name: `sign_in_ok`, `user_disable`, …
  public var event: String
  /// The project whose trail holds the record.
  public var project: String?
  /// The uid of the user that the event is about.
  public var uid: String?
  /// The masked address of the user that the event is about: `a***@example.com`.
  public var email: String?
  /// The IP address of the client that caused the event.
  public var ip: String?
  /// The user agent of the client that caused the event.
  public var userAgent: String?
  /// The id of the request that caused the event.
  public var requestID: String?
  /// A class of reasons or a short fact.
  public var detail: String?
  /// The chain of the trail up to this record: SHA-256 in hexadecimal.
  public var hash: String

  /// Creates a record with the required fields only.
  public init(sequence: Int64, time: String, event: String, hash: String) {
    self.sequence = sequence
    self.time = time
    self.event = event
    self.hash = hash
  }

  private enum CodingKeys: String, CodingKey {
    case sequence = "seq"
    case time, event, project, uid, email, ip, userAgent
    case requestID = "requestId"
    case detail, hash
  }
}
