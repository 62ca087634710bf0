import HearthTree

/// A message to a client. ``encode(into:)`` gives its JSON text.
public enum ServerMessage: Sendable {
  /// The first message on every socket.
  case hello(Hello)
  /// A sentence for the developer. Most clients never reconnect after it: for configuration errors only.
  case shutdown(String)
  /// The host to use instead, with its port.
  case reset(host: String)
  /// The answer to a ping.
  case pong
  /// The first message on a socket that joins a session: go on here when you are ready.
  case switchTransport
  /// The last message on a transport that the client has left for a socket; what follows comes there.
  case endOfTransmission
  /// The answer to the request of that number.
  case reply(Int32, Status, ReplyData)
  /// Something that no request asked for now: an event, a cancellation, the end of a sign-in.
  case push(Push)

  /// What a client must know before it can go on.
  public struct Hello: Sendable {
    /// The server's clock, now. Clients estimate the server's time from it.
    public var milliseconds: Int64
    /// What the client dialled, with the port: the `Host` header. Any other text redirects the client for good.
    public var host: String
    /// URL-safe; the client sends it back when it reconnects.
    public var session: String

    /// The first message on a socket: the server's time, the host to come back to, and the session's name.
    public init(milliseconds: Int64, host: String, session: String) {
      self.milliseconds = milliseconds
      self.host = host
      self.session = session
    }
  }

  /// The `d` of a reply.
  public enum ReplyData: Sendable {
    /// `""`: what a write and an unlisten answer.
    case emptyText
    /// `{}`: the answer to a listen must be an object, or Android and Java clients stop working.
    case emptyObject
    /// A failure's text. A failure never carries anything but a text.
    case text(String)
    /// `{"w":["no_index"]}`: a listen is there, and the rules declare no index for its order.
    case noIndex
    /// A `get`'s value, in export form.
    case node(Node)
    /// What a `get` with a query found, in export form; put together when it is encoded.
    case result(QueryResult)
    /// Anything else, such as the claims an authentication answers.
    case json(JSON)
  }
}

/// Something the client did not ask for at this moment.
public enum Push: Sendable {
  /// `d`: everything at the path is now this. An empty node is sent as `null`.
  case put(path: Path, node: Node, tag: Int32? = nil)
  /// `m`: each of the places, relative to the path, is now that, all at once.
  case merge(path: Path, changes: [(path: Path, node: Node)], tag: Int32? = nil)
  /// `rm`: each of these ranges of leaves is now that. Only for a listen that sent a compound hash.
  case ranges(path: Path, [RangeMerge], tag: Int32? = nil)
  /// `c`: the listen at the path is over. For a listen with a query, the query object the client had sent.
  case cancel(path: Path, query: JSON? = nil)
  /// `ac`: the credential is no longer good.
  case authenticationEnded(Status, text: String)
  /// `sd`: a text the client prints.
  case debug(String)
}
