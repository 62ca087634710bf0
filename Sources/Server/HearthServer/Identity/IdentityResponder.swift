import HearthAccounts
import HearthEngine
import HearthGateway
import HearthIdentity
import HearthTransport
import HearthTree
import HearthWire
import NIOCore
import NIOHTTP1

/// The adapter between HTTP and the accounts.
struct IdentityResponder: Sendable {
  /// The maximum size of a client's user agent; longer ones are cut.
  static let userAgentBytesMax = 256

  let services: GatewayServices
  let identityLimiter: IdentityRequestLimiter

  private var endpoints: IdentityEndpoints {
    IdentityEndpoints(
      services.accounts, defaultNamespace: services.defaultNamespace, node: services.router.receipts.node)
  }

  func respond(
    to http: HTTPRequest, at match: IdentityRouter.Match, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    if http.method == .OPTIONS, !match.isForBrowsers {
      return loop.eventLoop.makeSucceededFuture(CrossOrigin.preflight(http.headers))
    }
    let id = http.id
    guard let request = request(http, at: match, id: id) else {
      return loop.eventLoop.makeSucceededFuture(
        response(.refusal("The query string is not valid."), for: http))
    }
    let isAdministrator = request.bearer.authority.administratorName != nil
    let claimant = ShareClaimant(
      network: NetworkPrefix(address: request.client.address), isAdministrator: isAdministrator)
    guard let place = identityLimiter.begin(claimant) else {
      services.meters.identity(match.operation.name, "overloaded")
      if identityLimiter.isFirstRefusal() {
        services.logger.warning("too many concurrent identity requests", metadata: ["request": "\(id)"])
      }
      return loop.eventLoop.makeSucceededFuture(
        response(match.isForBrowsers ? HTMLPage.overloaded.response : .busy(), for: http))
    }
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    Task(executorPreference: AccountsExecutor.shared) {
      let tracker = RequestRetryTracker()
      let answer = await RequestContext.$id.withValue(id) {
        await RequestRetryTracker.$current.withValue(tracker) {
          await ShareClaimant.$current.withValue(claimant) { await endpoints.answer(request, at: match) }
        }
      }
      count(answer, at: match)
      var response = response(to: answer, of: request, for: http)
      response.isSafeToRetry = answer.status >= 500 && tracker.isSafeToRetry
      promise.succeed(response)
      identityLimiter.end(place)
    }
    return promise.futureResult.hop(to: loop.eventLoop)
  }

  private func count(_ answer: IdentityResponse, at match: IdentityRouter.Match) {
    let outcome = answer.problem ?? (answer.status < 400 ? "ok" : "status \(answer.status)")
    services.meters.identity(match.operation.name, outcome)
  }

  /// Returns the sender of a large body. An import is an administrator's; an invalid request is refused by the
  /// operation itself.
  func caller(of http: HTTPRequest, at match: IdentityRouter.Match) -> HTTPBodyCaller {
    guard !match.isForBrowsers else { return .anonymous }
    let origin = services.origin(of: http)
    let authority = services.authenticator.bearer(of: http, from: origin, now: SystemClock.now).authority
    return authority.administratorName == nil ? .anonymous : .known
  }

  /// Returns the tightest limit that the path allows.
  func bodyLimit(for http: HTTPRequest, at match: IdentityRouter.Match) -> HTTPBodyLimit {
    HTTPBodyLimit(
      bytesMax: match.bodyBytesMax,
      response: { response(.refusal(status: 413, "The request is too large."), for: http) })
  }
}

// MARK: The request

extension IdentityResponder {
  /// Returns the request for the accounts; nil when the query cannot be read, except for browser pages, which show the
  /// error themselves.
  private func request(_ http: HTTPRequest, at match: IdentityRouter.Match, id: String) -> IdentityRequest? {
    let parameters = (try? URLQuery(http.query))?.parameters
    guard parameters != nil || match.isForBrowsers else { return nil }
    let now = SystemClock.now
    let origin = services.origin(of: http)
    let query = (parameters ?? []).map { (name: $0.name, value: $0.value) }
    var request = IdentityRequest(
      method: http.method.rawValue, host: http.hostName, path: http.path, query: query,
      queryText: String(decoding: http.query, as: UTF8.self), contentType: http.header("Content-Type"),
      body: Array(http.body.readableBytesView),
      apiKey: query.first { $0.name == "key" }?.value ?? http.header("X-Goog-Api-Key"),
      bearer: match.isForBrowsers ? .none : services.authenticator.bearer(of: http, from: origin, now: now),
      client: client(http, from: origin, id: id), isFromLoopback: origin.isFromLoopback, now: now)
    if match.isForBrowsers { request.cookie = http.header("Cookie") }
    return request
  }

  func client(_ http: HTTPRequest, from origin: RequestOrigin, id: String) -> ClientInfo {
    let agent = http.header("User-Agent") ?? ""
    return ClientInfo(
      address: origin.address, userAgent: String(decoding: agent.utf8.prefix(Self.userAgentBytesMax), as: UTF8.self),
      requestID: id, locale: http.locale)
  }
}

// MARK: The response

extension IdentityResponder {
  private func response(
    to answer: IdentityResponse, of request: IdentityRequest, for http: HTTPRequest
  ) -> HTTPResponse {
    let id = request.client.requestID
    services.logger.debug(
      "identity request",
      metadata: ["request": "\(id)", "status": "\(answer.status)", "client": "\(request.client.address)"])
    // Apps take a JSON error of the server for a decision about their user, and sign out. Scripts may read it.
    let isForApp = request.bearer.authority.administratorName == nil
    if isForApp, !answer.isForBrowsers, !answer.isPassedToApps, answer.status >= 500, answer.status != 501 {
      return response(.busy(status: answer.status), for: http)
    }
    return response(answer, for: http)
  }

  /// Returns the response to a request that the transport refused. A temporary failure has no JSON, which apps would take for a
  /// decision about their user; browser pages show text.
  func response(to failure: HTTPFailure, for http: HTTPRequest, at match: IdentityRouter.Match) -> HTTPResponse {
    let (status, text) = failure.explanation
    let answer: IdentityResponse =
      switch failure {
      case _ where match.isForBrowsers: HTMLPage.refusal(status: Int(status.code), text).response
      case .overloaded, .timeout, .internalError, .unreachable: .busy(status: Int(status.code))
      case .outcomeUnknown, .unrelayable: .unanswered(status: Int(status.code))
      case .bodyTooLong: .refusal(status: 413, "The request is too large.")
      case .malformed, .headTooLong, .bodyNeedsCredential, .badUpgrade: .refusal(status: Int(status.code), text)
      }
    return response(answer, for: http)
  }

  private func response(_ answer: IdentityResponse, for http: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      HTTPResponseStatus(statusCode: answer.status), headers: Self.headers(answer, http),
      body: ByteBuffer(bytes: answer.body))
  }

  /// Returns the headers of a response: a page has its own; every other response may be read by pages of other origins.
  private static func headers(
    _ answer: IdentityResponse, _ http: HTTPRequest
  ) -> [(name: String, value: String)] {
    let kept = [
      (name: "Content-Type", value: answer.contentType), (name: "Cache-Control", value: answer.cacheControl),
    ]
    if answer.isForBrowsers { return kept + answer.headers }
    return kept + [(name: "X-Content-Type-Options", value: "nosniff"), (name: "Referrer-Policy", value: "no-referrer")]
      + CrossOrigin.headers(for: http.headers) + answer.headers
  }
}
