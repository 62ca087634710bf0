import HearthRules
import HearthTree

/// One thing that a connection, or a one-off request, asks of a database.
public struct Command: Sendable {
  /// The connection that is answered. A `listen` and an `onDisconnect` need a connection that was announced by
  /// `connect`; a write, a `get`, a transaction or a deploy with a `principal` of its own needs none.
  public var connection: ConnectionID

  /// The request's number, which comes back in the reply; nil when nobody waits for one.
  public var request: Int32?

  /// Under whom a one-off request is decided; nil means the connection's identity.
  public var principal: Principal?

  /// The place where it came from; with `connect`, where all that come after it on the connection do. Nil when nobody
  /// says.
  public var address: AddressClass?

  /// The client's network behind trusted proxies, by which shared bounds count it: of a one-off request, and with `connect`
  /// of the connection. Nil when it is not known.
  public var network: NetworkPrefix?

  /// What is asked.
  public var action: Action

  /// True for a compared write that has waited for its turn, and is decided now whoever else waits.
  var hadTurn = false

  /// A command of these parts.
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

  /// Everything that can be asked.
  public enum Action: Sendable {
    /// A connection begins, signed out. Known connections are left as they are.
    case connect

    /// A connection ends: its listens go, nothing is sent to it any more, and what it asked for by
    /// ``onDisconnect(_:)`` is made.
    case disconnect

    /// The connection is somebody else from now on; its listens are decided again. Answered `.ok`.
    case authenticate(Principal)

    /// The connection is signed out; its listens are decided again. Answered `.ok`.
    case unauthenticate

    /// Tell the connection what is there, now and on every change. Answered `.listening`, after the first value.
    case listen(ListenRequest)

    /// Stop telling. A listen with a query is known by its tag, or else by its path and query. Answered `.ok`, also when
    /// there was no such listen.
    case unlisten(Path, query: Query? = nil, tag: Int32? = nil)

    /// What is at the path now, or what of it the query asks for. Answered `.value`, or `.result` for a query. An order
    /// by a child or by value that the rules do not declare there is a failure.
    case get(Path, Query? = nil)

    /// Change something. Answered `.written`, after the events that the connection itself gets; `.ok` when the answer is
    /// to show more than its writer may read; `.stale` when it was to be made over something else than what is there.
    case write(WriteOperation)

    /// Make this change when the connection ends, under the identity that the connection has then. Decided by the rules
    /// now and then. Replaces what was asked before for the same places. Answered `.ok` once it is durable: it is made
    /// exactly once, also when the server ends before the connection does.
    case onDisconnect(WriteOperation.Change)

    /// Forget what ``onDisconnect(_:)`` was asked for at and below this place. Answered `.ok`.
    case cancelOnDisconnect(Location)

    /// Work a change out on the newest state and make it, as one record. Only for administrators. Answered `.ok`, also
    /// when the transaction changed nothing: then once all that was decided before it is durable.
    case transact(Transaction)

    /// The connection's credential counts no longer, whatever its deadline says: the connection is told, signed out,
    /// and its listens are decided again. Nothing happens to one that is signed out already. Answered `.ok`.
    ///
    /// - Parameter revocation: which revocation this is part of, for the receipt.
    case endCredential(revocation: UInt64? = nil)

    /// Nothing but an answer. Answered `.ok` once all that was decided before it is durable.
    case barrier

    /// Other rules from now on; all listens are decided again. Only for administrators. Answered `.ok`.
    case deployRules(RuleSet)

    /// Answers up to this ``Batch/turn`` are on their way to those who wait to write again: their time begins.
    case turnsTold(upTo: UInt64)

    /// Nothing but the time: deadlines that passed take effect.
    case tick

    /// True when it asks for data.
    package var isRead: Bool {
      switch self {
      case .listen, .get: true
      case .connect, .disconnect, .authenticate, .unauthenticate, .write, .transact, .onDisconnect, .cancelOnDisconnect,
        .deployRules, .unlisten, .barrier, .endCredential, .turnsTold, .tick:
        false
      }
    }

    /// True when it changes what is durable.
    package var isChange: Bool {
      switch self {
      case .write, .transact, .onDisconnect, .cancelOnDisconnect, .deployRules: true
      case .connect, .disconnect, .authenticate, .unauthenticate, .listen, .unlisten, .get, .barrier, .endCredential,
        .turnsTold, .tick:
        false
      }
    }

    /// True when it comes after all that the same connection wrote before, also what waits for its turn.
    var comesAfterWrites: Bool {
      switch self {
      case .authenticate, .unauthenticate: true
      case .connect, .disconnect, .listen, .unlisten, .get, .write, .transact, .onDisconnect, .cancelOnDisconnect,
        .deployRules, .barrier, .endCredential, .turnsTold, .tick:
        isChange
      }
    }
  }
}
