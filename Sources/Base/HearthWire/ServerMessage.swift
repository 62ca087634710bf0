import HearthTree

/// A message to a client. ``encode(into:)`` gives its JSON text.
public enum ServerMessage: Sendable {
  /// The first message on every socket.
  case hello(Hello)
  /// A sentence for the developer. Most clients never reconnect after it, so it is only for configuration errors.
  case shutdown(String)
  /// The host to use instead, with its port.
  case reset(host: String)
  /// The reply to a ping.
  case pong
  /// The first message on a socket that joins a session: the client may continue over this socket.
  case switchTransport
  /// The last message on a transport that the client has replaced by a socket, on which all further messages are sent.
  case endOfTransmission
  /// The reply to the request with the number.
  case reply(Int32, Status, ReplyData)
  /// A message without a request: an event, a cancellation, the end of a sign-in.
  case push(Push)

  /// The information that a client needs before its first request.
  public struct Hello: Sendable {
    /// The server's current time. Clients estimate the offset of their clock from it.
    public var milliseconds: Int64
    /// The host that the client dialled, with the port: the value of the `Host` header. Any other text redirects the
    /// client permanently.
    public var host: String
    /// The session's ID, URL-safe; the client sends it back when it reconnects.
    public var session: String

    /// Creates the first message of a socket.
    public init(milliseconds: Int64, host: String, session: String) {
      self.milliseconds = milliseconds
      self.host = host
      self.session = session
    }
  }

  /// The `d` of a reply.
  public enum ReplyData: Sendable {
    /// `""`: the data of the reply to a write or an unlisten.
    case emptyText
    /// `{}`: the answer to a listen must be an object, or Android and Java clients stop working.
    case emptyObject
    /// A failure's text. A failure never has other data.
    case text(String)
    /// `{"w":["no_index"]}`: the listen exists, and the rules declare no index for its order.
    case noIndex
    /// A `get`'s value, in export form.
    case node(Node)
    /// The result of a `get` with a query, in export form; built when it is encoded.
    case result(QueryResult)
    /// Any other data, such as the claims in the reply to an authentication.
    case json(JSON)
  }
}

/// A message that is not a reply.
public enum Push: Sendable {
  /// `d`: the new value of everything at the path. An empty node is sent as `null`.
  case put(path: Path, node: Node, tag: Int32? = nil)
  /// `m`: the new values of several places, relative to the path, all at once.
  case merge(path: Path, changes: [(path: Path, node: Node)], tag: Int32? = nil)
  /// `rm`: the new content of ranges of leaves. Only for a listen that sent a compound hash.
  case ranges(path: Path, [RangeMerge], tag: Int32? = nil)
  /// `c`: the cancellation of the listen at the path. For a listen with a query, with the query object that the client
  /// sent.
  case cancel(path: Path, query: JSON? = nil)
  /// `ac`: the credential is no longer valid.
  case authenticationEnded(Status, text: String)
  /// `sd`: a text that the client prints.
  case debug(String)
}
