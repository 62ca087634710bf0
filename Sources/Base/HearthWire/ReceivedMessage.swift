import HearthTree

/// A whole message of a server as read by a client, with its segments put together.
public enum ReceivedMessage: Sendable {
  /// The first message on a socket.
  case hello(ServerMessage.Hello)
  /// The server asks the client not to reconnect; the text is a sentence for the developer.
  case shutdown(String)
  /// The host to use instead, with its port.
  case reset(host: String)
  /// A text for the client's log.
  case error(String)
  /// The reply to a ping.
  case pong
  /// The reply to the request with the number.
  case reply(Int32, Status, ReplyData)
  /// A message that is not a reply.
  case push(Push)
  /// `apc`: the App Check token is no longer valid.
  case appCheckEnded(Status, text: String)
  /// A well-formed message that this client does not know or cannot use, with a description.
  case other(String)

  /// The `d` of a reply, read according to the request.
  public enum ReplyData: Sendable {
    /// The value of a `get`.
    case node(Node)
    /// Any other data; `null` when there is none.
    case json(JSON)

    /// The text of a failure; empty when the server gave none.
    public var text: String { if case .json(let value) = self { value.string ?? "" } else { "" } }
  }

  /// The kind of data that a reply with the status `ok` carries.
  public enum ReplyKind: Sendable {
    /// Data of the tree.
    case node
    /// Small JSON: claims, warnings, texts.
    case json
  }

  /// The limits of a message from a server.
  public struct Limits: Sendable {
    /// The limits of nested containers, of the keys of a leaf and of the values of a message.
    public var json = JSONLimits()
    /// The number of keys of a pushed path. Deeper paths have no data: ``DataLimits/depthMax`` is the limit of the
    /// tree.
    public var pathKeysMax = DataLimits.nestingMax
    /// Paths of one merge.
    public var mergePathsMax = 1_000_000
    /// Ranges of one push. A client's compound hash has no more.
    public var rangesMax = WireLimits.standard.postsMax + 1

    /// Creates the standard limits.
    public init() {}
  }
}
