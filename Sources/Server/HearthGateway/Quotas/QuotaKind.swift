import HearthTree

/// The kind of a quota of one database. The texts are in files, requests, responses and metrics, and are never renamed.
///
/// A client is a user, by the uid, or the signed-out clients of a network, by its address. Quotas for clients do not
/// apply to administrators, whose rates and responses are not limited, so that they can always inspect and change the
/// database.
package enum QuotaKind: String, Sendable, CaseIterable {
  /// The concurrent sockets, long polls and streams.
  case connections
  /// The concurrent sockets, long polls and streams of one client.
  case clientConnections
  /// The messages of sockets and requests over HTTP.
  case requestsPerSecond
  /// The messages and requests of one client.
  case clientRequestsPerSecond
  /// The bytes that clients send.
  case bytesPerSecond
  /// The bytes that one client sends.
  case clientBytesPerSecond
  /// The work of clients, in steps of rules. A client over this quota is not refused: it waits.
  case workPerSecond
  /// The work of one connection, and of one user's requests over HTTP.
  case connectionWorkPerSecond
  /// The bytes of the data in memory, as `hearth_tree_bytes` has them.
  case storedBytes
  /// The bytes of one response: of a read, a query or the first value of a listen.
  case answerBytes

  /// The range of valid values.
  var range: ClosedRange<Int> {
    switch self {
    case .connections, .clientConnections: 1...1_000_000
    case .requestsPerSecond, .clientRequestsPerSecond: 1...1_000_000
    case .bytesPerSecond, .clientBytesPerSecond: 1...(1 << 40)
    // The minimum is the work of deciding some listens again, so that each client gets a response.
    case .workPerSecond, .connectionWorkPerSecond: 10_000...(1 << 40)
    case .storedBytes: 1...(1 << 50)
    // A smaller response is made on the request's event loop, and never measured.
    case .answerBytes: QuotaLimits.answerBytesMin...DataLimits.readSizeBytesMax
    }
  }

  /// Returns the limit in words, for the middle of a sentence.
  private func limit(_ max: Int) -> String {
    switch self {
    case .connections: "this database may have \(max) connections"
    case .clientConnections: "one client may have \(max) connections to this database"
    case .requestsPerSecond: "this database takes \(max) requests a second"
    case .clientRequestsPerSecond: "this database takes \(max) requests a second from one client"
    case .bytesPerSecond: "this database takes \(max) bytes a second"
    case .clientBytesPerSecond: "this database takes \(max) bytes a second from one client"
    case .workPerSecond: "this database does \(max) steps of work a second"
    case .connectionWorkPerSecond: "this database does \(max) steps of work a second for one connection"
    case .storedBytes: "this database may hold \(max) bytes"
    case .answerBytes: "an answer of this database may have \(max) bytes"
    }
  }

  /// Returns the message of a refusal: the quota's value and name. Short enough for a close frame (RFC 6455 §5.5).
  func text(_ max: Int) -> String { "Over quota: \(limit(max)) (\(rawValue))" }
}
