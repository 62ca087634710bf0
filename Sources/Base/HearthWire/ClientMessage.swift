import HearthTree

/// A whole message of a client, with its segments put together.
public enum ClientMessage: Sendable {
  /// A control ping; the answer is ``ServerMessage/pong``. Only JavaScript clients send it.
  case ping
  /// The last message of a client on this transport; it continues over the socket with which it joined the session.
  case endOfTransmission
  /// A control message that needs no answer: the acknowledgement of a transport switch, or an unknown type.
  case otherControl(type: String)
  /// A data message.
  case request(Request)
}

/// A data message of a client: a number that the reply repeats, and an action.
public struct Request: Sendable {
  /// The number, unique for this connection only; the reply carries it as a 32-bit JSON integer.
  public var number: Int32
  /// The requested action.
  public var action: Action

  /// Creates a request with the number that its reply repeats.
  public init(number: Int32, action: Action) {
    self.number = number
    self.action = action
  }

  /// The actions that a client can request over a socket.
  public enum Action: Sendable {
    /// The usage counters, `s`: an object of numbers.
    case stats(JSON)
    /// A listen, `q`.
    case listen(Listen)
    /// The end of a listen, `n`.
    case unlisten(Unlisten)
    /// A one-shot read, `g`.
    case get(Get)
    /// A replacement, `p`.
    case put(Put)
    /// A multi-path update, `m`.
    case merge(Merge)
    /// A replacement at the disconnect, `o`.
    case onDisconnectPut(Write)
    /// A multi-path update at the disconnect, `om`.
    case onDisconnectMerge(Merge)
    /// The cancellation of the writes at the disconnect, `oc`.
    case onDisconnectCancel(Location)
    /// A sign-in, `auth` or `gauth`, which differ only in the kind of credential that the client assumes.
    case authenticate(Credential)
    /// A sign-out, `unauth`.
    case unauthenticate
    /// An App Check token, `appcheck`.
    case appCheck(token: String)
    /// The removal of the App Check token, `unappcheck`, which every JavaScript release spells `unappeck`.
    case dropAppCheck
    /// An action of another name.
    case unknown(name: String)
    /// A request that is well-formed JSON but has an invalid path or value, with its answer.
    case refused(Refusal)
  }
}

extension Request {
  /// A live read.
  public struct Listen: Sendable {
    /// The path to listen at.
    public var path: Path
    /// The simple hash of the data that the client already holds; the empty string for none.
    public var hash: String
    /// The query object exactly as sent, for a listen that has one (then it also has a ``tag``).
    public var query: JSON?
    /// The number that identifies the listen in pushes. Only listens with a query have it.
    public var tag: Int32?
    /// The data that the client already holds, hashed by ranges. Only native clients send it.
    public var compound: CompoundHash?

    /// Creates a listen.
    public init(
      path: Path, hash: String, query: JSON? = nil, tag: Int32? = nil, compound: CompoundHash? = nil
    ) {
      self.path = path
      self.hash = hash
      self.query = query
      self.tag = tag
      self.compound = compound
    }
  }

  /// The end of a live read.
  public struct Unlisten: Sendable {
    /// The path of the listen.
    public var path: Path
    /// The query as the client wrote it; nil without one.
    public var query: JSON?
    /// The client's tag of a listen with a query.
    public var tag: Int32?

    /// Creates the end of a listen.
    public init(path: Path, query: JSON? = nil, tag: Int32? = nil) {
      self.path = path
      self.query = query
      self.tag = tag
    }
  }

  /// A one-shot read.
  public struct Get: Sendable {
    /// The location to read.
    public var location: Location
    /// The query; nil when the client sent none or `{}`.
    public var query: JSON?

    /// Creates a one-shot read.
    public init(location: Location, query: JSON? = nil) {
      self.location = location
      self.query = query
    }
  }

  /// A replacement. For a transaction, it applies only when the current value has ``hash``.
  public struct Put: Sendable {
    /// The location and its new value.
    public var write: Write
    /// The simple hash that the current value must have; the empty string requires that there is no value; nil when the
    /// put has no condition.
    public var hash: String?

    /// Creates a put.
    public init(write: Write, hash: String? = nil) {
      self.write = write
      self.hash = hash
    }
  }

  /// Several replacements below one location that apply together.
  public struct Merge: Sendable {
    /// The location at or below which all writes are.
    public var path: Path
    /// The writes, with absolute locations, none of which is above another.
    public var writes: [Write]
    /// The hash that the value at ``path`` must have, as in a put; nil when there is no condition. Current clients
    /// never send it.
    public var hash: String?

    /// Creates a merge.
    public init(path: Path, writes: [Write], hash: String? = nil) {
      self.path = path
      self.writes = writes
      self.hash = hash
    }
  }

  /// A credential, and, for an administrator, the identity with which rules are evaluated instead.
  public struct Credential: Sendable {
    /// The credential as received.
    public var token: String
    /// The identity that an administrator acts under; nil when there is no override.
    public var override: Override?
    /// True when the request was `gauth`: the client assumes that the credential is a Google access token.
    public var isGoogleToken: Bool

    /// Creates the credential of a sign-in.
    public init(token: String, override: Override? = nil, isGoogleToken: Bool = false) {
      self.token = token
      self.override = override
      self.isGoogleToken = isGoogleToken
    }

    /// The identity that an administrator acts under.
    public enum Override: Sendable {
      /// `authvar`: the object is the `auth` of rules.
      case auth(JSON)
      /// `noauth`: rules are evaluated as for a signed-out client.
      case signedOut
    }
  }

  /// The answer to a request that is invalid as written.
  public struct Refusal: Error, Sendable {
    /// The status in the reply.
    public var status: Status
    /// The text for the client's developer.
    public var text: String

    /// Creates a refusal.
    public init(status: Status = .failed, text: String) {
      self.status = status
      self.text = text
    }
  }
}
