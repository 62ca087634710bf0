import HearthAccounts
import HearthTransport
import HearthWire
import NIOCore
import NIOHTTP1

/// The responder for browsers without a WebSocket, at ``PollRequest/path``.
package struct PollResponder: HTTPResponder {
  /// The path of long polls.
  package static let path = PollRequest.path

  let services: GatewayServices

  /// The sessions of all loops, by the ids that their polls carry.
  let polls = PollDirectory()

  /// - Parameter services: the services that sessions use.
  package init(services: GatewayServices) { self.services = services }

  /// Responds to a poll when there are messages, or at its timeout.
  package func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    let answer: HTTPResponse
    switch PollRequest(request.query) {
    case nil: answer = Self.refusal(.badRequest)
    case .disconnect(let session)? where [.GET, .POST].contains(request.method):
      onSession(session) { $0.disconnect() }
      answer = Self.script(ByteBuffer())
    case _ where request.method != .GET:
      var refusal = Self.refusal(.methodNotAllowed)
      refusal.headers.append((name: "Allow", value: "GET"))
      answer = refusal
    case .start(let callback)?: return start(request, callback, on: loop)
    case .page(let session)?:
      guard session.isWellFormed, polls.find(session.id) != nil else {
        answer = Self.refusal(.notFound)
        break
      }
      answer = HTTPResponse(
        .ok, headers: Self.headers(type: "text/html"), body: ByteBuffer(string: PollPage.html(for: session)))
    case .poll(let session, let poll)?:
      let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
      let isKnown = onSession(session) { transport in
        transport.receive(poll, cancellation: request.cancellation) { [weak transport] script in
          var answer = Self.script(script)
          answer.readPauseMilliseconds = transport?.readPauseMilliseconds ?? 0
          promise.succeed(answer)
        }
      } otherwise: {
        promise.succeed(Self.over)
      }
      if !isKnown { promise.succeed(Self.over) }
      return promise.futureResult
    case .disconnect?: answer = Self.refusal(.methodNotAllowed)
    }
    return loop.eventLoop.makeSucceededFuture(answer)
  }

  /// Runs `work` on the session's loop, if the session exists and the request has its password.
  ///
  /// - Returns: false when there is no session of that id; neither closure is called then.
  @discardableResult
  private func onSession(
    _ shown: PollSession, _ work: @escaping @Sendable (PollTransport) -> Void,
    otherwise: @escaping @Sendable () -> Void = {}
  ) -> Bool {
    guard let entry = polls.find(shown.id) else { return false }
    entry.loop.execute {
      let transport = entry.transport.value
      if transport.session.isAuthenticated(by: shown) { work(transport) } else { otherwise() }
    }
    return true
  }

  private func start(
    _ request: HTTPRequest, _ callback: String, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    guard
      let opening = SocketOpening(
        request, from: services.origin(of: request), defaultNamespace: services.defaultNamespace)
    else { return loop.eventLoop.makeSucceededFuture(Self.refusal(.badRequest)) }
    let session = PollSession.make()
    let transport = PollTransport(session, loop: loop, directory: polls)
    let entry = PollDirectory.Entry(
      loop: loop.eventLoop, transport: NIOLoopBound(transport, eventLoop: loop.eventLoop),
      network: ClientNetwork(opening.origin.address), presence: transport.presence)
    guard !loop.isShuttingDown else { return loop.eventLoop.makeSucceededFuture(Self.refusal(.serviceUnavailable)) }
    switch polls.insert(entry, as: session.id, at: loop.eventLoop.now) {
    case .admitted: break
    case .replacing(let other): other.loop.execute { other.transport.value.endForReplacement() }
    case .refused: return loop.eventLoop.makeSucceededFuture(Self.refusal(.serviceUnavailable))
    }
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    let connection = SocketConnection(opening, hub: services.router.hub(on: loop.eventLoop), services: services)
    transport.start(connection, callback: callback) { promise.succeed(Self.script($0)) }
    return promise.futureResult
  }

  // MARK: Transport callbacks

  /// The maximum size of a body, which is not used: the client's data is in the query.
  private static let bodyBytesMax = 4 << 10

  /// Returns the status and its name: the client sees a script that did not load.
  package func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    Self.refusal(failure.explanation.status)
  }

  /// Returns the limit of a few kilobytes for the unused body.
  package func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? {
    HTTPBodyLimit(bytesMax: Self.bodyBytesMax) { Self.refusal(.payloadTooLarge) }
  }

  /// Credentials come in messages, not with requests.
  package func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { .anonymous }

  // MARK: Responses

  private static let over = script(ByteBuffer(string: PollOutbox.close))

  static func script(_ body: ByteBuffer) -> HTTPResponse {
    HTTPResponse(.ok, headers: headers(type: "application/javascript"), body: body)
  }

  /// Returns a refusal, which the browser counts as a script that failed to load, and the client starts again.
  static func refusal(_ status: HTTPResponseStatus) -> HTTPResponse {
    HTTPResponse(status, headers: headers(type: "text/plain"), body: ByteBuffer(string: "\(status.reasonPhrase)\n"))
  }

  /// Returns the headers of a response. The URL contains the session's password, so no cache keeps the response and no
  /// other site learns the URL.
  private static func headers(type: String) -> [(name: String, value: String)] {
    [
      (name: "Content-Type", value: "\(type); charset=utf-8"), (name: "Cache-Control", value: "no-store, no-cache"),
      (name: "Pragma", value: "no-cache"), (name: "X-Content-Type-Options", value: "nosniff"),
      (name: "Referrer-Policy", value: "no-referrer"), (name: "Cross-Origin-Resource-Policy", value: "cross-origin"),
    ]
  }
}
