import HearthTree
import HearthWire

/// The connection of one database, as a state machine: it takes inputs and returns actions. It has no socket, clock or
/// thread; its owner performs the actions in order and calls it from one executor.
///
/// An attempt fetches tokens, opens a socket, waits for the hello and signs in. Then it is ready for the owner's
/// requests; none is sent before the server accepted the credential. The connection numbers the requests and matches
/// the answers to them. It drops unanswered requests when the socket is closed: the owner repeats what it still needs
/// when the next connection is ready.
///
/// Source: the behaviour of the native Firebase SDKs.
struct PersistentConnection {
  /// The progress of an attempt.
  enum Phase: Equatable {
    /// An interrupt keeps the connection closed.
    case resting
    /// The next attempt begins at the given monotonic time.
    case waiting(until: Int64)
    /// The tokens are being fetched.
    case fetchingTokens(since: Int64)
    /// The socket is being opened.
    case opening(since: Int64)
    /// The socket is open and waits for the hello.
    case greeting(since: Int64)
    /// The hello arrived; the server validates the tokens.
    case authenticating
    /// The owner's requests are sent.
    case connected
  }

  let address: DatabaseAddress
  let settings: ConnectionSettings
  let identification: ClientIdentification
  var random: ConnectionRandom

  var phase = Phase.resting
  var interrupts: Set<ConnectionInterrupt> = [.notOpened]
  /// The number of the current or last attempt.
  var attempt = 0
  var backOff: BackOff
  /// The host that a hello or a reset redirected this client to; cleared when that host does not answer.
  var redirect: HostAndPort?
  /// The session id of the last hello.
  var lastSession: String?
  var tokens = ConnectionTokens()
  /// The credential that was set while tokens were being fetched, and which replaces the fetched one.
  var newerCredential: String??
  var newerAppCheck: String??
  var forcesRefresh = false
  /// The number of consecutive refusals of credentials.
  var refusals = 0
  var hasReported = false
  var lastNumber: Int32 = -1
  var link: Link?
  /// The actions that the current input produced.
  var actions: [ConnectionAction] = []

  /// Creates a connection that stays closed until ``ConnectionInput/open``.
  ///
  /// - Parameter seed: The seed of the random delays between attempts.
  init(
    _ address: DatabaseAddress, settings: ConnectionSettings = ConnectionSettings(),
    identification: ClientIdentification = ClientIdentification(), seed: UInt64
  ) {
    self.address = address
    self.settings = settings
    self.identification = identification
    random = ConnectionRandom(seed: seed)
    backOff = BackOff(settings.backOff)
  }

  /// Handles an input and returns the actions to perform, in order.
  mutating func handle(_ input: ConnectionInput, at now: ConnectionTime) -> [ConnectionAction] {
    switch input {
    case .open: resume(.notOpened, at: now)
    case .interrupt(let reason): interrupt(reason, at: now)
    case .resume(let reason): resume(reason, at: now)
    case .reachable: reachable(at: now)
    case .request(let id, let action): request(id, action)
    case .credential(let credential): change(credential: credential)
    case .appCheck(let token): change(appCheck: token)
    case .tokens(let attempt, let tokens) where attempt == self.attempt: open(with: tokens, at: now)
    case .tokensFailed(let attempt, let reason) where attempt == self.attempt: tokensFailed(reason, at: now)
    case .opened(let attempt) where attempt == self.attempt: opened(at: now)
    case .received(let attempt, let text) where attempt == self.attempt: received(text, at: now)
    case .alive(let attempt) where attempt == self.attempt: link?.lastAlive = now.monotonic
    case .writable(let attempt, let isWritable) where attempt == self.attempt:
      link?.isWritable = isWritable
      // A socket that has sent all of its data may have been too busy to receive; its silence is measured from now.
      link?.lastAlive = now.monotonic
    case .closed(let attempt, let reason) where attempt == self.attempt: closed(reason, at: now)
    // An input of an earlier attempt is ignored.
    case .tokens, .tokensFailed, .opened, .received, .alive, .writable, .closed: break
    case .timer: timer(at: now)
    }
    pump(at: now)
    defer { actions = [] }
    return actions
  }

  // MARK: Actions

  mutating func act(_ action: ConnectionAction) { actions.append(action) }

  mutating func deliver(_ event: ConnectionEvent) { actions.append(.deliver(event)) }

  mutating func log(_ level: ConnectionLogLevel, _ text: String) { actions.append(.log(level, text)) }
}

/// The client's identification in the upgrade request's headers.
struct ClientIdentification: Sendable {
  /// The user agent `Firebase/5/<sdk>/<platform>/<device>`.
  var userAgent = "Firebase/5/1.0.0/Swift/hearth"
  /// The app's id in its project; nil without one.
  var appID: String?
}
