import HearthTree

/// One whole message of a server as a client reads it, after its segments were put together.
public enum ReceivedMessage: Sendable {
  /// The first message on a socket.
  case hello(ServerMessage.Hello)
  /// The server asks not to come back; a sentence for the developer.
  case shutdown(String)
  /// The host to use instead, with its port.
  case reset(host: String)
  /// A text for the client's log.
  case error(String)
  /// The answer to a ping.
  case pong
  /// The answer to the request of that number.
  case reply(Int32, Status, ReplyData)
  /// Something that no request asked for now.
  case push(Push)
  /// `apc`: the App Check token is no longer good.
  case appCheckEnded(Status, text: String)
  /// Well-formed, and nothing that this client knows or could use; what it is, in words.
  case other(String)

  /// The `d` of a reply, read as the request has it.
  public enum ReplyData: Sendable {
    /// The value that a `get` asked for.
    case node(Node)
    /// Anything else; `null` when there is none.
    case json(JSON)

    /// The text of a failure; empty when the server gave none.
    public var text: String { if case .json(let value) = self { value.string ?? "" } else { "" } }
  }

  /// What the answer to a request carries when it is `ok`.
  public enum ReplyKind: Sendable {
    /// Data of the tree.
    case node
    /// Small JSON: claims, warnings, texts.
    case json
  }

  /// What a client reads of one message at most.
  public struct Limits: Sendable {
    /// Containers in each other, keys of a leaf and values of a message.
    public var json = JSONLimits()
    /// Keys of a pushed path. Deeper ones are no data: ``DataLimits/depthMax`` are all that there can be.
    public var pathKeysMax = DataLimits.nestingMax
    /// Paths of one merge.
    public var mergePathsMax = 1_000_000
    /// Ranges of one push. A client's compound hash has no more.
    public var rangesMax = WireLimits.standard.postsMax + 1

    /// The standard, to be narrowed.
    public init() {}
  }
}
