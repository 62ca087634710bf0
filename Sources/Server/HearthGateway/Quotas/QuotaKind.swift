import HearthTree

/// What can be limited for one database. The texts are in files, requests, answers and metrics, and are never renamed.
///
/// A client is a user, by the uid, or a network, by its address, where nobody is signed in. Administrators are no clients:
/// neither rates nor answers are limited for them, so that they can always see what is going on and change it.
package enum QuotaKind: String, Sendable, CaseIterable {
  /// Sockets, long polls and streams at a time.
  case connections
  /// The same of one client.
  case clientConnections
  /// Messages of sockets and requests over HTTP.
  case requestsPerSecond
  /// The same of one client.
  case clientRequestsPerSecond
  /// Bytes of what clients send.
  case bytesPerSecond
  /// The same of one client.
  case clientBytesPerSecond
  /// Work of clients, in steps of rules. Nothing is refused because of it: who is over it waits.
  case workPerSecond
  /// The same of one connection, and of one user's requests over HTTP.
  case connectionWorkPerSecond
  /// Bytes that the data takes in memory, as `hearth_tree_bytes` tells them.
  case storedBytes
  /// Bytes of one answer: what a read, a query or the first value of a listen may cost.
  case answerBytes

  /// What it may be set to.
  var range: ClosedRange<Int> {
    switch self {
    case .connections, .clientConnections: 1...1_000_000
    case .requestsPerSecond, .clientRequestsPerSecond: 1...1_000_000
    case .bytesPerSecond, .clientBytesPerSecond: 1...(1 << 40)
    // As much as deciding some listens again takes, so that each client is answered something.
    case .workPerSecond, .connectionWorkPerSecond: 10_000...(1 << 40)
    case .storedBytes: 1...(1 << 50)
    // A smaller answer is made where it is asked for, and never weighed.
    case .answerBytes: QuotaLimits.answerBytesMin...DataLimits.readSizeBytesMax
    }
  }

  /// What is limited to how much, in the middle of a sentence.
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

  /// What is said where it is reached: its value and its name. Short enough for the end of a socket (RFC 6455 §5.5).
  func text(_ max: Int) -> String { "Over quota: \(limit(max)) (\(rawValue))" }
}
