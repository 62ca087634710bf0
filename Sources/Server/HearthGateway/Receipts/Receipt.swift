import HearthAccounts
import HearthEngine
import HearthTree

/// The report about one cause that took permissions away: which listeners were decided again, which were cancelled, and
/// how soon they were told.
struct Receipt: Sendable {
  /// Grows with every receipt of the server.
  var id: UInt64 = 0
  /// The node of a cluster that keeps it.
  var node: String?
  /// nil for a revocation that no connection of any database was signed in with.
  var database: String?
  var cause: Cause
  /// The place where the cause stands in the database's commit order.
  var position: Int64
  /// The time when the cause took effect.
  var wallMilliseconds: Int64
  /// Whose identity it was about, for a cause that is one connection's.
  var connection: ConnectionID?
  /// Of this server's own clients.
  var counts = ReceiptCounts()
  /// What the other nodes of a cluster did; nil where they are not asked.
  var elsewhere: Elsewhere?
  /// Databases that did not answer in time, for example because they halted.
  var isComplete = true
  /// Microseconds from the cause to each cancellation's last byte in the socket, sorted.
  var microseconds: [Int64] = []
  /// The first of the cancelled.
  var listeners: [Listener] = []
  /// The first of those that go on.
  var kept: [Redecision.Kept] = []

  /// What the other nodes of a cluster did in the same database.
  struct Elsewhere: Sendable {
    /// Of each node that answered, in order of name.
    var nodes: [(name: String, counts: ReceiptCounts)] = []
    /// Nodes that did not. Whether they serve somebody who should be cut is not known.
    var silent: [String] = []
    /// The first of the cancelled, each with its node's name.
    var listeners: [JSON] = []
    /// The first of those that go on, in the same way.
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
    ///   - event: what happened, in the words of the audit trail.
    case revocation(number: UInt64, Revocation, event: AuditEvent.Kind)
  }

  /// A listen that lost its permission.
  struct Listener: Sendable {
    var connection: ConnectionID
    var name: ListenName
    /// As the client sent it; nil for a listen without one.
    var query: JSON?
    var uid: String?
    /// The last commit that the listener was told of.
    var lastPosition: Int64
    var outcome = Outcome.late
  }

  /// What became of a cancellation.
  enum Outcome: Sendable, Equatable {
    /// It was written, so many microseconds after the cause.
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

  /// A closed list; the words are interface.
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
