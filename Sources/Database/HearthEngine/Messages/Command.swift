import HearthRules
import HearthTree

/// A command of a connection, or of a one-off request, to a database.
public struct Command: Sendable {
  /// The connection that is answered. A `listen` and an `onDisconnect` need a connection that was announced by
  /// `connect`; a write, a `get`, a transaction or a deploy with its own `principal` needs none.
  public var connection: ConnectionID

  /// The request's number, which comes back in the reply; nil when the caller needs no reply.
  public var request: Int32?

  /// The principal of a one-off request; nil for the connection's identity.
  public var principal: Principal?

  /// The class of the client's address; with `connect`, that of all later commands on the connection. nil when it is
  /// unknown.
  public var address: AddressClass?

  /// The client's network, by which shared limits count it: set for a one-off request, and with `connect` for the
  /// connection. Addresses of trusted proxies do not count. nil when it is unknown.
  public var network: NetworkPrefix?

  /// The requested action.
  public var action: Action

  /// True for a compared write that has waited for its turn, and is decided now even if others wait.
  var hadTurn = false

  /// Creates a command.
  public init(
    connection: ConnectionID, request: Int32? = nil, principal: Principal? = nil, address: AddressClass? = nil,
    network: NetworkPrefix? = nil, action: Action
  ) {
    self.connection = connection
    self.request = request
    self.principal = principal
    self.address = address
    self.network = network
    self.action = action
  }

  /// The actions of commands.
  public enum Action: Sendable {
    /// Starts a connection, signed out. A known connection is unchanged.
    case connect

    /// Ends a connection: its listens end, it receives no more effects, and its ``onDisconnect(_:)`` writes are
    /// executed.
    case disconnect

    /// Changes the identity of the connection; its listens are decided again. Answered `.ok`.
    case authenticate(Principal)

    /// Signs the connection out; its listens are decided again. Answered `.ok`.
    case unauthenticate

    /// Sends the connection the present data and every change. Answered `.listening`, after the first value.
    case listen(ListenRequest)

    /// Ends a listen. A listen with a query is identified by its tag, or else by its path and query. Answered `.ok`,
    /// also when there was no such listen.
    case unlisten(Path, query: Query? = nil, tag: Int32? = nil)

    /// Reads the data at the path, or the query's result. Answered `.value`, or `.result` for a query. An order by a
    /// child or by value without a declared index is a failure.
    case get(Path, Query? = nil)

    /// Makes a write. Answered `.written`, after the connection's own events; `.ok` when the answer would contain more
    /// than its writer may read; `.stale` when the present data differs from the expected data.
    case write(WriteOperation)

    /// Sets an on-disconnect write, which is executed when the connection ends, under its identity at that time. The
    /// rules decide it when it is set and when it is executed. It replaces earlier ones for the same locations.
    /// Answered `.ok` once it is durable: it is executed exactly once, even when the server stops before the connection
    /// ends.
    case onDisconnect(WriteOperation.Change)

    /// Cancels ``onDisconnect(_:)`` writes at and below this location. Answered `.ok`.
    case cancelOnDisconnect(Location)

    /// Computes a change from the newest state and commits it as one record. Only for administrators. Answered `.ok`,
    /// even when the transaction changed nothing; the answer is sent once all earlier decisions are durable.
    case transact(Transaction)

    /// Ends the connection's credential, regardless of its deadline: the connection is notified and signed out, and its
    /// listens are decided again. A signed-out connection is unchanged. Answered `.ok`.
    ///
    /// - Parameter revocation: The revocation that this is part of, for the receipt.
    case endCredential(revocation: UInt64? = nil)

    /// Makes no change. Answered `.ok` once all earlier decisions are durable.
    case barrier

    /// Puts rules in force; all listens are decided again. Only for administrators. Answered `.ok`.
    case deployRules(RuleSet)

    /// Reports that answers up to this ``Batch/turn`` have been sent to the clients of waiting writes, whose turns
    /// begin now.
    case turnsDelivered(upTo: UInt64)

    /// Makes no change; only lets passed deadlines take effect.
    case tick

    /// True when it reads data.
    package var isRead: Bool {
      switch self {
      case .listen, .get: true
      case .connect, .disconnect, .authenticate, .unauthenticate, .write, .transact, .onDisconnect, .cancelOnDisconnect,
        .deployRules, .unlisten, .barrier, .endCredential, .turnsDelivered, .tick:
        false
      }
    }

    /// True when it changes durable state.
    package var isChange: Bool {
      switch self {
      case .write, .transact, .onDisconnect, .cancelOnDisconnect, .deployRules: true
      case .connect, .disconnect, .authenticate, .unauthenticate, .listen, .unlisten, .get, .barrier, .endCredential,
        .turnsDelivered, .tick:
        false
      }
    }

    /// True when it must follow all earlier writes of the same connection, including waiting ones.
    var comesAfterWrites: Bool {
      switch self {
      case .authenticate, .unauthenticate: true
      case .connect, .disconnect, .listen, .unlisten, .get, .write, .transact, .onDisconnect, .cancelOnDisconnect,
        .deployRules, .barrier, .endCredential, .turnsDelivered, .tick:
        isChange
      }
    }
  }
}
