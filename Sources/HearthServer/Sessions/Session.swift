import HearthEngine
import HearthTree
import HearthWire
import NIOCore

/// The protocol logic of one socket: what a client's messages ask of the database, and how the database's answers
/// are told.
///
/// A value that takes events and appends what to do; it performs nothing itself. Messages are handled strictly in
/// order: while a credential is being verified, or the database is still being opened, later ones wait.
struct Session {
  /// What to do, in order.
  enum Output {
    case submit(Command.Action, request: Int32?)
    case send(ServerMessage)
    /// Verify the credential and come back with ``Session/verified(_:into:)``.
    case verify(Request.Credential)
    /// Close the socket. The reason is for the log.
    case close(reason: String)
  }

  /// How many bytes of messages may wait. A client that sends more before its database is open is closed.
  static let heldBytesMax = 32 << 20

  /// How many bytes of requests a client may be owed answers for before nothing more is read from it. What they stand
  /// for may take more than ten times as much memory.
  static let unansweredBytesMax = 4 << 20

  private enum State {
    case opening
    case ready
    case verifying(request: Int32)
    case closed
  }

  /// A request that the engine has and has not answered.
  struct Pending {
    enum Kind {
      case listen(Path)
      case authenticate(ServerMessage.ReplyData)
      /// A sign-in with a credential that was refused, which signs out.
      case refused(Status, text: String)
      case unauthenticate
      case other
    }
    var request: Int32
    var kind: Kind
    /// What it counts for in ``Session/unansweredBytes``.
    var sizeBytes = 0
  }

  private var state = State.opening
  private var held = CircularBuffer<(message: ClientMessage, sizeBytes: Int)>(initialCapacity: 1)
  private var heldBytes = 0
  var pending = CircularBuffer<Pending>(initialCapacity: 1)
  /// Bytes of the requests that the database has and has not answered.
  var unansweredBytes = 0
  /// The credential in force asks for writes that change nothing, which this server does not do.
  private var isSimulating = false
  /// A listen whose first value is over the limit; its answer is still to come.
  var refusedListen: Path?

  /// The database is there: what waited is handled now.
  mutating func opened(into outputs: inout [Output]) {
    guard case .opening = state else { return }
    state = .ready
    resume(into: &outputs)
  }

  /// - Parameter sizeBytes: the message's length on the wire.
  mutating func receive(_ message: ClientMessage, sizeBytes: Int, into outputs: inout [Output]) {
    switch state {
    case .closed: return
    case .ready: handle(message, sizeBytes, into: &outputs)
    case .opening, .verifying:
      heldBytes += sizeBytes
      guard heldBytes <= Self.heldBytesMax else {
        state = .closed
        outputs.append(.close(reason: "too many messages before the first could be handled"))
        return
      }
      held.append((message, sizeBytes))
    }
  }

  /// What the verification that ``Output/verify(_:)`` asked for came to.
  mutating func verified(_ result: Result<Caller, CallerError>, into outputs: inout [Output]) {
    guard case .verifying(let request) = state else { return }
    state = .ready
    switch result {
    case .success(let caller):
      isSimulating = caller.isSimulating
      let data = ServerMessage.ReplyData.json(caller.claims)
      submit(.authenticate(caller.identity), request, .authenticate(data), into: &outputs)
    case .failure(.refused(let status, let text)):
      // Who asked to be somebody else is not who it was before, whatever the credential is worth.
      isSimulating = false
      submit(.unauthenticate, request, .refused(status, text: text), into: &outputs)
    case .failure(.unavailable(let reason)):
      // A failed sign-in would make clients forget their user; a closed socket makes them come back.
      state = .closed
      outputs.append(.close(reason: reason))
      return
    }
    resume(into: &outputs)
  }

  /// The first value of a listen is too large to be sent: the listen's answer will be a failure.
  ///
  /// - Returns: False when no listen at that path waits for its answer.
  mutating func refuseListen(at path: Path) -> Bool {
    let isWaiting = pending.contains { if case .listen(let other) = $0.kind { other == path } else { false } }
    if isWaiting { refusedListen = path }
    return isWaiting
  }

  /// Nothing more is taken in.
  mutating func close() {
    state = .closed
    held.removeAll()
    pending.removeAll()
    unansweredBytes = 0
  }

  private mutating func resume(into outputs: inout [Output]) {
    while case .ready = state, let next = held.popFirst() {
      heldBytes -= next.sizeBytes
      handle(next.message, next.sizeBytes, into: &outputs)
    }
  }
}

extension Session {
  private mutating func handle(_ message: ClientMessage, _ sizeBytes: Int, into outputs: inout [Output]) {
    switch message {
    case .ping: outputs.append(.send(.pong))
    case .otherControl: break
    case .request(let request):
      let count = pending.count
      handle(request.action, request.number, into: &outputs)
      guard pending.count > count else { return }
      pending[pending.index(before: pending.endIndex)].sizeBytes = sizeBytes
      unansweredBytes += sizeBytes
    }
  }

  private mutating func handle(_ action: Request.Action, _ number: Int32, into outputs: inout [Output]) {
    switch action {
    case .listen(let listen):
      guard listen.query == nil else { return refuse(number, "a listen with a query", into: &outputs) }
      submit(.listen(listen.path, hash: listen.hash), number, .listen(listen.path), into: &outputs)
    case .unlisten(let unlisten):
      // No listen with a query was ever accepted, so there is none to end.
      guard unlisten.query == nil else { return succeed(number, into: &outputs) }
      submit(.unlisten(unlisten.path), number, .other, into: &outputs)
    case .get(let get):
      guard get.query == nil else { return refuse(number, "a get with a query", into: &outputs) }
      guard !get.location.isPriority else { return refuse(number, "a get of a priority", into: &outputs) }
      submit(.get(get.location.path), number, .other, into: &outputs)
    case .put(let put):
      let change = WriteOperation.Change.put(put.write.location, put.write.value)
      write(WriteOperation(change, expectedHash: put.hash), number, into: &outputs)
    case .merge(let merge):
      let writes = merge.writes.compactMap { $0.relative(to: merge.path) }
      write(WriteOperation(.merge(merge.path, writes), expectedHash: merge.hash), number, into: &outputs)
    case .onDisconnectPut, .onDisconnectMerge, .onDisconnectCancel:
      refuse(number, "onDisconnect", into: &outputs)
    case .authenticate(let credential):
      state = .verifying(request: number)
      outputs.append(.verify(credential))
    case .unauthenticate:
      isSimulating = false
      submit(.unauthenticate, number, .unauthenticate, into: &outputs)
    case .stats, .appCheck, .dropAppCheck: succeed(number, into: &outputs)
    case .unknown(let name):
      refuse(number, "the action \(name.prefix(32))", into: &outputs)
    case .refused(let refusal):
      outputs.append(.send(.reply(number, refusal.status, .text(refusal.text))))
    }
  }

  private mutating func write(_ operation: WriteOperation, _ number: Int32, into outputs: inout [Output]) {
    guard !isSimulating else { return refuse(number, "a simulated write", into: &outputs) }
    submit(.write(operation), number, .other, into: &outputs)
  }

  private mutating func submit(
    _ action: Command.Action, _ number: Int32, _ kind: Pending.Kind, into outputs: inout [Output]
  ) {
    pending.append(Pending(request: number, kind: kind))
    outputs.append(.submit(action, request: number))
  }

  private func succeed(_ number: Int32, into outputs: inout [Output]) {
    outputs.append(.send(.reply(number, .ok, .emptyText)))
  }

  private func refuse(_ number: Int32, _ what: String, into outputs: inout [Output]) {
    outputs.append(.send(.reply(number, .failed, .text("This server does not support \(what) yet"))))
  }
}
