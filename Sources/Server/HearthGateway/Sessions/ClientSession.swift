import HearthEngine
import HearthTree
import HearthWire
import NIOCore

/// The protocol logic of one client's session, over any transport: it turns messages into database actions, and
/// responses into messages.
///
/// A value that takes events and appends outputs; it performs none itself. Messages are handled strictly in order:
/// while a credential is being verified, or the database is still being opened, later ones wait.
struct ClientSession {
  /// An action for the connection, in order.
  enum Output {
    case submit(Command.Action, request: Int32?)
    case send(ServerMessage)
    /// Verify the credential and come back with ``ClientSession/verified(_:into:)``, now or later.
    case verify(Request.Credential)
    /// The client continues over the WebSocket that it has opened for this session; long polling ends.
    case switchTransports
    /// Close the transport. The reason is for the log.
    case close(reason: String)
  }

  /// The maximum bytes of waiting messages. A client that sends more before its database is open is disconnected.
  static let heldBytesMax = 32 << 20

  /// The maximum bytes of unanswered requests, after which the client is not read. Their parsed form may take more than
  /// ten times as much memory.
  static let unansweredBytesMax = 4 << 20

  enum State {
    case opening
    case ready
    case verifying(request: Int32)
    case closed
  }

  /// A request that the engine has and has not answered.
  struct Pending {
    enum Kind {
      case listen(ListenName)
      /// A `get` of the priority of a path.
      case priority
      case authenticate(ServerMessage.ReplyData)
      /// A sign-in whose credential was refused. It signs the client out, and answers with this failure.
      case refused(Status, text: String)
      case unauthenticate
      case other
    }
    var request: Int32
    var kind: Kind
    /// The bytes that it counts for in ``ClientSession/unansweredBytes``.
    var sizeBytes = 0
  }

  var state = State.opening
  /// The messages that wait until the database is open, or a credential verified.
  private var held = CircularBuffer<(message: ClientMessage, sizeBytes: Int)>(initialCapacity: 1)
  private var heldBytes = 0
  var pending = CircularBuffer<Pending>(initialCapacity: 1)
  /// The bytes of the requests that the database has and has not answered.
  var unansweredBytes = 0
  /// True when the credential in force asks for writes without effect, which this server does not support.
  var isSimulating = false
  /// The listen whose first value cannot be sent, while its response is outstanding, and the response; nil otherwise.
  var refusedListen: (name: ListenName, status: Status, text: String)?
  /// The listens with a query.
  var queries = SessionQueries()

  /// Handles the waiting messages, because the database is open now.
  mutating func opened(into outputs: inout [Output]) {
    guard case .opening = state else { return }
    state = .ready
    resume(into: &outputs)
  }

  /// Handles a message.
  ///
  /// - Parameter sizeBytes: the message's length on the wire.
  mutating func receive(_ message: ClientMessage, sizeBytes: Int, into outputs: inout [Output]) {
    switch state {
    case .closed: return
    case .ready: handle(message, sizeBytes, into: &outputs)
    case .opening, .verifying:
      heldBytes += sizeBytes
      guard heldBytes <= Self.heldBytesMax else {
        state = .closed
        outputs.append(.close(reason: "too many messages before the first was handled"))
        return
      }
      held.append((message, sizeBytes))
    }
  }

  /// Takes the result of the verification that ``Output/verify(_:)`` requested.
  mutating func verified(_ result: Result<VerifiedCaller, CallerError>, into outputs: inout [Output]) {
    guard case .verifying(let request) = state else { return }
    state = .ready
    switch result {
    case .success(let caller):
      isSimulating = caller.isSimulating
      let data = ServerMessage.ReplyData.json(caller.claims)
      submit(.authenticate(caller.principal), request, .authenticate(data), into: &outputs)
    case .failure(.refused(let status, let text)):
      // A client that asked for another identity has given up its former one, whatever the result.
      isSimulating = false
      submit(.unauthenticate, request, .refused(status, text: text), into: &outputs)
    case .failure(.unavailable(let reason)), .failure(.undecided(let reason)):
      // A failed sign-in would make clients forget their user; a closed socket makes them reconnect.
      state = .closed
      outputs.append(.close(reason: reason))
      return
    }
    resume(into: &outputs)
  }

  /// Turns the response of a listen into a failure, because its first value cannot be sent.
  ///
  /// - Returns: false when no listen of that name waits for its response.
  mutating func refuseListen(_ name: ListenName, _ status: Status, _ text: String) -> Bool {
    let isWaiting = pending.contains { if case .listen(let other) = $0.kind { other == name } else { false } }
    if isWaiting { refusedListen = (name, status, text) }
    return isWaiting
  }

  /// Closes the session: it takes no more messages.
  mutating func close() {
    state = .closed
    held.removeAll()
    pending.removeAll()
    unansweredBytes = 0
    queries = SessionQueries()
  }

  private mutating func resume(into outputs: inout [Output]) {
    while case .ready = state, let next = held.popFirst() {
      heldBytes -= next.sizeBytes
      handle(next.message, next.sizeBytes, into: &outputs)
    }
  }
}
