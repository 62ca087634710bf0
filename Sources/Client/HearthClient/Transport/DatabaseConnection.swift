import Dispatch
import NIOCore
import NIOPosix

#if os(Linux)
  import HearthTLS
#endif

/// The connection of one database over real sockets, which performs the actions of ``PersistentConnection``.
///
/// All its work and its events are on its queue; calls from elsewhere stop the process.
// Unchecked because all variables are confined to the queue, which each entry point checks.
final class DatabaseConnection: @unchecked Sendable {
  /// The dependencies that the owner supplies.
  struct Environment: Sendable {
    /// Fetches the tokens for an attempt and calls the completion once, from any thread; when the flag is true, cached
    /// tokens must not be used.
    var tokens:
      @Sendable (_ forcingRefresh: Bool, _ answer: @escaping @Sendable (Result<ConnectionTokens, any Error>) -> Void)
        -> Void = { _, answer in answer(.success(ConnectionTokens())) }
    /// Receives log lines.
    var log: @Sendable (ConnectionLogLevel, String) -> Void = { _, _ in }
    /// Receives events, on the queue and in order.
    var deliver: @Sendable ([ConnectionEvent]) -> Void
    /// The accepted certificate authorities.
    var trust = TLSTrust.system
    /// The event loop of the sockets.
    var loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    /// The limits of a socket.
    var limits = WebSocketLimits()
  }

  private let queue: DispatchQueue
  private let environment: Environment
  private let timer: any DispatchSourceTimer
  private let clock = ConnectionClock()
  private var connection: PersistentConnection
  private var tls: TLSContext?
  /// The socket with the number of its attempt.
  private var socket: (attempt: Int, socket: WebSocket)?
  /// The time on the monotonic clock at which the timer fires. A timer that fires too early is set again.
  private var armed: Int64?
  private var inputs = Queue<ConnectionInput>()
  private var isHandling = false
  private var isOver = false

  /// Creates a connection that stays closed until ``ConnectionInput/open``.
  ///
  /// - Parameter queue: A serial queue.
  init(
    _ address: DatabaseAddress, settings: ConnectionSettings = ConnectionSettings(),
    identification: ClientIdentification = ClientIdentification(), seed: UInt64 = .random(in: 0 ... .max),
    queue: DispatchQueue, environment: Environment
  ) {
    self.queue = queue
    self.environment = environment
    connection = PersistentConnection(address, settings: settings, identification: identification, seed: seed)
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.timerFired() }
    timer.resume()
  }

  deinit {
    timer.cancel()
    socket?.socket.close()
  }

  /// Handles an input. May be called while events are delivered.
  func handle(_ input: ConnectionInput) {
    dispatchPrecondition(condition: .onQueue(queue))
    guard !isOver else { return }
    inputs.append(input)
    guard !isHandling else { return }
    isHandling = true
    while let next = inputs.first {
      inputs.removeFirst()
      perform(connection.handle(next, at: clock.now))
    }
    isHandling = false
    arm()
  }

  /// Closes the connection for good, with a close frame. No event follows.
  func close() {
    dispatchPrecondition(condition: .onQueue(queue))
    isOver = true
    timer.cancel()
    socket?.socket.close()
    socket = nil
  }

  // MARK: Actions

  private func perform(_ actions: [ConnectionAction]) {
    var events: [ConnectionEvent] = []
    var texts: [[UInt8]] = []
    for action in actions {
      if case .send(_, let more) = action {
        texts += more
        continue
      }
      flush(&texts)
      switch action {
      case .send: break
      case .deliver(let event): events.append(event)
      case .log(let level, let text): environment.log(level, text)
      case .fetchTokens(let attempt, let forcingRefresh):
        // The credential provider must receive the server's report on the last tokens before a request for new ones.
        deliver(&events)
        fetchTokens(attempt, forcingRefresh)
      case .open(let attempt, let request): open(attempt, request)
      case .ping: socket?.socket.ping()
      case .close(let attempt):
        guard let open = socket, open.attempt == attempt else { break }
        open.socket.close()
        socket = nil
      }
    }
    flush(&texts)
    deliver(&events)
  }

  private func deliver(_ events: inout [ConnectionEvent]) {
    if !events.isEmpty, !isOver { environment.deliver(events) }
    events = []
  }

  private func flush(_ texts: inout [[UInt8]]) {
    if !texts.isEmpty { socket?.socket.send(texts) }
    texts = []
  }

  private func fetchTokens(_ attempt: Int, _ forcingRefresh: Bool) {
    environment.tokens(forcingRefresh) { [weak self, queue] result in
      queue.async { [weak self] in
        switch result {
        case .success(let tokens): self?.handle(.tokens(attempt: attempt, tokens))
        case .failure(let error): self?.handle(.tokensFailed(attempt: attempt, "\(error)"))
        }
      }
    }
  }

  private func open(_ attempt: Int, _ request: SocketRequest) {
    do {
      if request.isSecure, tls == nil { tls = try environment.trust.context() }
    } catch {
      inputs.append(.closed(attempt: attempt, "its certificates cannot be read: \(error)"))
      return
    }
    let limits = environment.limits
    let socket = WebSocket(
      request, tls: request.isSecure ? tls : nil, limits: limits, on: environment.loop,
      openMilliseconds: connection.settings.openTimeout
    ) { [weak self, queue] event in
      queue.async { [weak self] in self?.handle(event, of: attempt) }
    }
    self.socket = (attempt, socket)
  }

  private func handle(_ event: WebSocketEvent, of attempt: Int) {
    switch event {
    case .opened: handle(.opened(attempt: attempt))
    case .alive: handle(.alive(attempt: attempt))
    case .writable(let isWritable): handle(.writable(attempt: attempt, isWritable))
    case .closed(let reason):
      if socket?.attempt == attempt { socket = nil }
      handle(.closed(attempt: attempt, reason))
    case .received(let messages):
      let cost = WebSocketHandler.cost(of: messages, environment.limits)
      for message in messages { handle(.received(attempt: attempt, message)) }
      if let open = socket, open.attempt == attempt { open.socket.consumed(cost) }
    }
  }

  // MARK: Time

  private func arm() {
    guard !isOver, let deadline = connection.deadline else { return }
    if let armed, armed <= deadline { return }
    armed = deadline
    let wait = max(0, deadline - clock.now.monotonic)
    timer.schedule(deadline: .now() + .milliseconds(Int(clamping: wait)), leeway: .milliseconds(1))
  }

  private func timerFired() {
    armed = nil
    guard let deadline = connection.deadline else { return }
    if clock.now.monotonic >= deadline { handle(.timer) } else { arm() }
  }
}
