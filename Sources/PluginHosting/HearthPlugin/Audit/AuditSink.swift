/// Takes the records of the audit trail, for a system that keeps or watches them elsewhere.
public protocol AuditSink: Sendable {
  /// What the operator's log calls the sink.
  var name: String { get }

  /// Takes one record. Called once a record is durable, one after the other; nobody who signs in waits for it.
  ///
  /// - Throws: an ``AuditSinkError`` when the record was not taken. For any other error the record is given up.
  func record(_ entry: AuditEntry) async throws
}

/// The reason why a sink has not taken a record.
public struct AuditSinkError: Error, Sendable, CustomStringConvertible {
  /// For the operator's log: no secret, and nobody's data.
  public var description: String
  /// It may go better when it is tried again.
  public var isTemporary: Bool

  /// An error with these words.
  public init(_ description: String, isTemporary: Bool) {
    self.description = description
    self.isTemporary = isTemporary
  }
}

/// One record of the audit trail, as `hearth audit` shows it.
public struct AuditEntry: Sendable, Codable, Equatable {
  /// Counts from 1, for each project. A number that is missing was not sent; one that comes again is the same record.
  public var sequence: Int64
  /// RFC 3339, UTC, with milliseconds.
  public var time: String
  /// What happened: `sign_in_ok`, `user_disable`, …
  public var event: String
  /// The project whose trail it is.
  public var project: String?
  /// Of the user it is about.
  public var uid: String?
  /// Of the user it is about, masked: `a***@example.com`.
  public var email: String?
  /// Of who caused it.
  public var ip: String?
  /// Of who caused it.
  public var userAgent: String?
  /// Of the request that caused it.
  public var requestID: String?
  /// A class of reasons or a short fact.
  public var detail: String?
  /// The chain of the trail up to this record: SHA-256 in hexadecimal.
  public var hash: String

  /// A record of which nothing but this is known.
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
