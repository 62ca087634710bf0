import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// The responder for `/`, for browsers, and `/.ready`, `/.health/live` and `/.health/ready`, for orchestrators and load
/// balancers. It needs no credential.
package struct HealthResponder: HTTPResponder {
  private let services: GatewayServices

  /// - Parameter services: the databases and accounts whose state is reported.
  package init(services: GatewayServices) { self.services = services }

  /// Returns true for a health check. Some tools send rules to `/`, with their path behind the query: those belong to
  /// the REST API.
  package static func isFor(_ request: HTTPRequest) -> Bool {
    switch Endpoint(request) {
    case nil: false
    case .readiness, .live, .ready: true
    case .health: (try? URLQuery(of: request)).flatMap { try? MisplacedRules(request, $0) } == nil
    }
  }

  private enum Endpoint {
    case health
    /// The path `/.ready`: the readiness, and the problems that prevent it.
    case readiness
    /// The path `/.health/live`: the process answers.
    case live
    /// The path `/.health/ready`: the readiness in a word.
    case ready

    /// Creates the path of a request; nil for another path. Repeated slashes are accepted.
    init?(_ request: HTTPRequest) {
      if request.hasRootPath {
        self = .health
        return
      }
      let target = request.target.utf8
      let name = target.drop { $0 == UInt8(ascii: "/") }
      guard target.first == UInt8(ascii: "/"), name.starts(with: ".ready".utf8) || name.starts(with: ".health".utf8)
      else { return nil }
      let parts = name.prefix { $0 != UInt8(ascii: "?") }.split(separator: UInt8(ascii: "/"))
      switch parts.map({ String(decoding: $0, as: UTF8.self) }) {
      case [".ready"]: self = .readiness
      case [".health", "live"]: self = .live
      case [".health", "ready"]: self = .ready
      default: return nil
      }
    }
  }

  /// Responds at once, without waiting for databases.
  package func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    loop.eventLoop.makeSucceededFuture(HTTPResponse(answer(request)))
  }

  private func answer(_ http: HTTPRequest) -> RESTResponse {
    if http.method == .OPTIONS { return .preflight(http.headers) }
    do throws(RESTFailure) {
      let query = try URLQuery(of: http)
      let envelope = try RESTEnvelope(http, query)
      do throws(RESTFailure) {
        return envelope.wrap(try answer(try RESTRequest.Method(http, query), at: Endpoint(http) ?? .health))
      } catch {
        return envelope.wrap(RESTResponse(error))
      }
    } catch {
      return RESTResponse(error)
    }
  }

  private func answer(_ method: RESTRequest.Method, at endpoint: Endpoint) throws(RESTFailure) -> RESTResponse {
    guard method.isRead else { throw endpoint == .health ? .missingSuffix : .methodNotAllowed }
    if endpoint == .live { return RESTResponse(["state": "live"]) }
    let health = ServerHealth(services)
    if endpoint == .ready {
      let body: JSON = ["state": .string(health.word)]
      return RESTResponse(status: health.isReady ? 200 : 503, body: body.text())
    }
    let isGood = endpoint == .health ? health.isGood : health.isReady
    var members: [JSON.Member] =
      endpoint == .health
      ? [.init("status", .string(health.isGood ? "ok" : "unavailable"))]
      : [
        .init("ready", .bool(isGood)), .init("databases", .string(health.databases.rawValue)),
        .init("accounts", .string(health.accounts.rawValue)),
      ]
    if let text = health.text { members.append(.init(health.isGood ? "warning" : "error", .string(text))) }
    if health.isShortOfRoom { members.append(.init("warning", .string("The disk is nearly full."))) }
    // Tools that start an emulator wait for this.
    if endpoint == .health, services.isEmulator {
      members.append(.init("authEmulator", ["ready": true]))
    }
    return RESTResponse(status: isGood ? 200 : 503, body: JSON.object(members).text())
  }

  // MARK: Transport callbacks

  /// Returns the refusal in the common form.
  package func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    HTTPResponse(RESTResponse(RESTFailure(failure)))
  }

  /// Returns an anonymous caller: credentials are not checked here, so large bodies are not accepted.
  package func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { .anonymous }
}
