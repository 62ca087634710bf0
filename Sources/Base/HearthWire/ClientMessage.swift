import HearthTree

/// One whole message of a client, after its segments were put together.
public enum ClientMessage: Sendable {
  /// A control ping; the answer is ``ServerMessage/pong``. Only JavaScript clients send it.
  case ping
  /// The client has said its last on this transport and goes on over the one it has joined.
  case endOfTransmission
  /// A control message that asks for nothing here: that a switch of transports is noticed, or a type nobody knows.
  case otherControl(type: String)
  /// A data message.
  case request(Request)
}

/// A data message of a client: a number to answer under, and what is wanted.
public struct Request: Sendable {
  /// Unique for this connection only; the reply carries it as a 32-bit JSON integer.
  public var number: Int32
  /// What is asked.
  public var action: Action

  /// A request with the number that its answer repeats.
  public init(number: Int32, action: Action) {
    self.number = number
    self.action = action
  }

  /// Everything that a client can ask over a socket.
  public enum Action: Sendable {
    /// `s`: usage counters, an object of numbers.
    case stats(JSON)
    /// `q`
    case listen(Listen)
    /// `n`
    case unlisten(Unlisten)
    /// `g`
    case get(Get)
    /// `p`
    case put(Put)
    /// `m`
    case merge(Merge)
    /// `o`
    case onDisconnectPut(Write)
    /// `om`
    case onDisconnectMerge(Merge)
    /// `oc`
    case onDisconnectCancel(Location)
    /// `auth` and `gauth`, which differ only in what the client believes its credential to be.
    case authenticate(Credential)
    /// `unauth`
    case unauthenticate
    /// `appcheck`
    case appCheck(token: String)
    /// `unappcheck`, and `unappeck` as every JavaScript release spells it.
    case dropAppCheck
    /// An action of another name.
    case unknown(name: String)
    /// A request that is well-formed JSON and breaks a rule of paths or values: answer with this.
    case refused(Refusal)
  }
}

extension Request {
  /// A live read.
  public struct Listen: Sendable {
    /// The place where to listen.
    public var path: Path
    /// The simple hash of what the client already holds; the empty string for nothing.
    public var hash: String
    /// The query object exactly as sent, for a listen that has one (then ``tag`` is there too).
    public var query: JSON?
    /// Names the listen in pushes. Only listens with a query have it.
    public var tag: Int32?
    /// What the client already holds, by ranges. Only native clients send it.
    public var compound: CompoundHash?

    /// A listen of these parts.
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
    /// As the client wrote it; nil without one.
    public var query: JSON?
    /// What the client calls a listen with a query.
    public var tag: Int32?

    /// The end of a listen.
    public init(path: Path, query: JSON? = nil, tag: Int32? = nil) {
      self.path = path
      self.query = query
      self.tag = tag
    }
  }

  /// A read of one moment.
  public struct Get: Sendable {
    /// What is to be read.
    public var location: Location
    /// nil when the client sent no query or `{}`.
    public var query: JSON?

    /// A one-shot read.
    public init(location: Location, query: JSON? = nil) {
      self.location = location
      self.query = query
    }
  }

  /// A replacement, for a transaction only of the value that has ``hash``.
  public struct Put: Sendable {
    /// What is to be written.
    public var write: Write
    /// The simple hash the current value must have; the empty string asks for an empty place. nil: no condition.
    public var hash: String?

    /// A put of these parts.
    public init(write: Write, hash: String? = nil) {
      self.write = write
      self.hash = hash
    }
  }

  /// Several replacements below one place that apply together.
  public struct Merge: Sendable {
    /// The place that all writes are at or below.
    public var path: Path
    /// With absolute locations, none of which is above another.
    public var writes: [Write]
    /// Never sent by today's clients; compared like that of a put at ``path``.
    public var hash: String?

    /// A merge of these parts.
    public init(path: Path, writes: [Write], hash: String? = nil) {
      self.path = path
      self.writes = writes
      self.hash = hash
    }
  }

  /// A credential, and the identity an administrator wants rules to see instead of it.
  public struct Credential: Sendable {
    /// The credential, as it came.
    public var token: String
    /// Under whose name an administrator asks, if not its own.
    public var override: Override?
    /// It came as `gauth`: the client takes it for an access token of Google's.
    public var isGoogles: Bool

    /// A sign-in with a credential.
    public init(token: String, override: Override? = nil, isGoogles: Bool = false) {
      self.token = token
      self.override = override
      self.isGoogles = isGoogles
    }

    /// Whom an administrator asks to be treated as.
    public enum Override: Sendable {
      /// `authvar`: as if the `auth` of rules were this object.
      case auth(JSON)
      /// `noauth`: as if signed out.
      case signedOut
    }
  }

  /// The answer to a request that cannot be carried out as it was written.
  public struct Refusal: Error, Sendable {
    /// What the client is told in one word.
    public var status: Status
    /// What the client's developer is told.
    public var text: String

    /// A refusal of these parts.
    public init(status: Status = .failed, text: String) {
      self.status = status
      self.text = text
    }
  }
}
