import HearthRules
import HearthTree

/// One thing that a connection, or a one-off request, asks of a database.
public struct Command: Sendable {
  /// Who is answered. A `listen` needs a connection that was announced by `connect`; a write, a `get`,
  /// a transaction or a deploy with an `identity` of its own needs none.
  public var connection: ConnectionID

  /// The request's number, which comes back in the reply; nil when nobody waits for one.
  public var request: Int32?

  /// Under whom a one-off request is decided; nil means the connection's identity.
  public var identity: Identity?

  /// What is asked.
  public var action: Action

  public init(connection: ConnectionID, request: Int32? = nil, identity: Identity? = nil, action: Action) {
    self.connection = connection
    self.request = request
    self.identity = identity
    self.action = action
  }

  /// Everything that can be asked.
  public enum Action: Sendable {
    /// A connection begins, signed out. Known connections are left as they are.
    case connect

    /// A connection ends: its listens go, and nothing is sent to it any more.
    case disconnect

    /// The connection is somebody else from now on; its listens are decided again. Answered `.ok`.
    case authenticate(Identity)

    /// The connection is signed out; its listens are decided again. Answered `.ok`.
    case unauthenticate

    /// Tell the connection what is at `path`, now and on every change. When `hash` is the simple hash of what is there,
    /// the first value is not sent. Listening once more to the same path decides and compares again. Answered `.ok`,
    /// after the first value.
    case listen(Path, hash: String)

    /// Stop telling. Answered `.ok`, also when there was no such listen.
    case unlisten(Path)

    /// What is at `path` now. Answered `.value`.
    case get(Path)

    /// Change something. Answered `.written`, after the events that the connection itself gets.
    case write(WriteOperation)

    /// Work a change out on the newest state and make it, as one record. Only for administrators. Answered `.ok`, also
    /// when the transaction changed nothing: then once all that was decided before it is durable.
    case transact(Transaction)

    /// The connection's credential counts no longer, whatever its deadline says: the connection is told, signed out,
    /// and its listens are decided again. Nothing happens to one that is signed out already. Answered `.ok`.
    case endCredential

    /// Other rules from now on; all listens are decided again. Only for administrators. Answered `.ok`.
    case deployRules(RuleSet)

    /// Nothing but the time: deadlines that passed take effect.
    case tick
  }
}
