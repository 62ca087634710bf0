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
    case .connections: "this database allows \(max) connections"
    case .clientConnections: "this database allows \(max) connections per client"
    case .requestsPerSecond: "this database allows \(max) requests a second"
    case .clientRequestsPerSecond: "this database allows \(max) requests a second per client"
    case .bytesPerSecond: "this database allows \(max) bytes a second"
    case .clientBytesPerSecond: "this database allows \(max) bytes a second per client"
    case .workPerSecond: "this database allows \(max) steps of work a second"
    case .connectionWorkPerSecond: "this database allows \(max) steps of work a second per connection"
    case .storedBytes: "this database can store \(max) bytes"
    case .answerBytes: "a response of this database can have \(max) bytes"
    }
  }

  /// Returns the message of a refusal: the quota's value and name. Short enough for a close frame (RFC 6455 §5.5).
  func text(_ max: Int) -> String { "Over quota: \(limit(max)) (\(rawValue))" }
}
