import HearthTree

/// A whole message of a client, with its segments put together.
public enum ClientMessage: Sendable {
  /// A control ping; the answer is ``ServerMessage/pong``. Only JavaScript clients send it.
  case ping
  /// The last message of a client on this transport; it goes on over the one that it has joined.
  case endOfTransmission
  /// A control message that needs no answer: the acknowledgement of a transport switch, or an unknown type.
  case otherControl(type: String)
  /// A data message.
  case request(Request)
}

/// A data message of a client: a number to answer under, and an action.
public struct Request: Sendable {
  /// The number, unique for this connection only; the reply carries it as a 32-bit JSON integer.
  public var number: Int32
  /// The requested action.
  public var action: Action

  /// A request with the number that its answer repeats.
  public init(number: Int32, action: Action) {
    self.number = number
    self.action = action
  }

  /// The actions that a client can request over a socket.
  public enum Action: Sendable {
    /// Usage counters, `s`: an object of numbers.
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
    /// A sign-in, `auth` or `gauth`, which differ only in the kind that the client takes its credential for.
    case authenticate(Credential)
    /// A sign-out, `unauth`.
    case unauthenticate
    /// An App Check token, `appcheck`.
    case appCheck(token: String)
    /// The end of an App Check token, `unappcheck`, or `unappeck` as every JavaScript release spells it.
    case dropAppCheck
    /// An action of another name.
    case unknown(name: String)
    /// A request that is well-formed JSON and breaks a rule of paths or values, with its answer.
    case refused(Refusal)
  }
}

extension Request {
  /// A live read.
  public struct Listen: Sendable {
    /// The place where to listen.
    public var path: Path
    /// The simple hash of the data that the client already holds; the empty string for none.
    public var hash: String
    /// The query object exactly as sent, for a listen that has one (then ``tag`` is there too).
    public var query: JSON?
    /// The listen's name in pushes. Only listens with a query have it.
    public var tag: Int32?
    /// The data that the client already holds, hashed by ranges. Only native clients send it.
    public var compound: CompoundHash?

    /// Makes a listen.
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
    /// The place where the listen is.
    public var path: Path
    /// The query as the client wrote it; nil without one.
    public var query: JSON?
    /// The client's tag of a listen with a query.
    public var tag: Int32?

    /// The end of a listen.
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

    /// A one-shot read.
    public init(location: Location, query: JSON? = nil) {
      self.location = location
      self.query = query
    }
  }

  /// A replacement, for a transaction only of the value that has ``hash``.
  public struct Put: Sendable {
    /// The location and its new value.
    public var write: Write
    /// The simple hash that the current value must have; the empty string requires that no value exists, nil sets no
    /// condition.
    public var hash: String?

    /// Makes a put.
    public init(write: Write, hash: String? = nil) {
      self.write = write
      self.hash = hash
    }
  }

  /// Several replacements below one location that apply together.
  public struct Merge: Sendable {
    /// The location that all writes are at or below.
    public var path: Path
    /// The writes, with absolute locations, none of which is above another.
    public var writes: [Write]
    /// The hash that today's clients never send; compared like that of a put at ``path``.
    public var hash: String?

    /// Makes a merge.
    public init(path: Path, writes: [Write], hash: String? = nil) {
      self.path = path
      self.writes = writes
      self.hash = hash
    }
  }

  /// A credential, and the identity that an administrator wants rules to evaluate instead of it.
  public struct Credential: Sendable {
    /// The credential, as it came.
    public var token: String
    /// The identity that an administrator acts under; nil for its own.
    public var override: Override?
    /// True when it came as `gauth`: the client takes it for an access token of Google's.
    public var isGoogleToken: Bool

    /// A sign-in with a credential.
    public init(token: String, override: Override? = nil, isGoogleToken: Bool = false) {
      self.token = token
      self.override = override
      self.isGoogleToken = isGoogleToken
    }

    /// The identity that an administrator acts under.
    public enum Override: Sendable {
      /// `authvar`: as if the `auth` of rules were this object.
      case auth(JSON)
      /// `noauth`: as if signed out.
      case signedOut
    }
  }

  /// The answer to a request that cannot be carried out as it was written.
  public struct Refusal: Error, Sendable {
    /// The status in the reply.
    public var status: Status
    /// The text for the client's developer.
    public var text: String

    /// Makes a refusal.
    public init(status: Status = .failed, text: String) {
      self.status = status
      self.text = text
    }
  }
}
