import HearthAccounts
import HearthEngine
import HearthTree

/// The report about one cause that removed permissions: the listeners that were decided again, the cancelled ones, and
/// the times until they were notified.
struct Receipt: Sendable {
  /// The id, which grows with every receipt of the server.
  var id: UInt64 = 0
  /// The node of a cluster that keeps it; nil for a server by itself.
  var node: String?
  /// The database; nil for a revocation that concerned no connection of any database.
  var database: String?
  var cause: Cause
  /// The position of the cause in the database's commit order.
  var position: Int64
  /// The time when the cause took effect.
  var wallMilliseconds: Int64
  /// The connection whose identity changed; nil for a cause that concerns more than one.
  var connection: ConnectionID?
  /// The counts of this server's own clients.
  var counts = ReceiptCounts()
  /// The results of the other nodes of a cluster; nil when they are not asked.
  var remoteResults: RemoteResults?
  /// False when a database did not answer in time, for example because it halted.
  var isComplete = true
  /// The sorted microseconds from the cause to each cancellation's last byte in the socket.
  var microseconds: [Int64] = []
  /// The first of the cancelled listeners.
  var listeners: [Listener] = []
  /// The first of the listeners that continue.
  var kept: [Redecision.Kept] = []

  /// The results of the other nodes of a cluster in the same database.
  struct RemoteResults: Sendable {
    /// The counts of each node that answered, in order of name.
    var nodes: [(name: String, counts: ReceiptCounts)] = []
    /// The nodes that did not answer. They may still serve a client whose listens should be cancelled.
    var silent: [String] = []
    /// The first of the cancelled listeners, each with its node's name.
    var listeners: [JSON] = []
    /// The first of the listeners that continue, in the same form.
    var kept: [JSON] = []
  }

  enum Cause: Sendable {
    case data
    case rules
    case identity
    case expiry
    case clock
    /// - Parameters:
    ///   - number: common to the receipts of all databases that it concerned.
    ///   - event: the event, in the words of the audit trail.
    case revocation(number: UInt64, Revocation, event: AuditEvent.Kind)
  }

  /// A listen that lost its permission.
  struct Listener: Sendable {
    var connection: ConnectionID
    var name: ListenName
    /// The query as the client sent it; nil for a listen without one.
    var query: JSON?
    var uid: String?
    /// The last commit that the listener was sent.
    var lastPosition: Int64
    var outcome = Outcome.late
  }

  /// The outcome of a cancellation.
  enum Outcome: Sendable, Equatable {
    /// The cancellation was written, so many microseconds after the cause.
    case sent(microseconds: Int64)
    /// The connection ended first.
    case gone
    case late
  }
}

extension Receipt.Cause {
  init(_ cause: Cancellation) {
    switch cause {
    case .data: self = .data
    case .rules: self = .rules
    case .identity: self = .identity
    case .expiry, .revocation: self = .expiry
    case .clock: self = .clock
    }
  }

  /// The cause in a word of a closed list; the words are interface.
  var word: String {
    switch self {
    case .data: "write"
    case .rules: "rules"
    case .identity: "identity"
    case .expiry: "expiry"
    case .clock: "clock"
    case .revocation: "revocation"
    }
  }
}
