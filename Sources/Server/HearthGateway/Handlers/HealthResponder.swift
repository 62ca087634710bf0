import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// Answers `/`, for people, and `/.ready`, `/.health/live` and `/.health/ready`, for orchestrators and load balancers:
/// anybody may ask.
package struct HealthResponder: HTTPResponder {
  private let services: GatewayServices

  /// - Parameter services: whose databases and accounts are looked at.
  package init(services: GatewayServices) { self.services = services }

  /// Returns true when a request asks for health. Some tools send rules to `/`, with the path they mean behind the query:
  /// those are the REST interface's.
  package static func isFor(_ request: HTTPRequest) -> Bool {
    switch Place(request) {
    case nil: false
    case .readiness, .live, .ready: true
    case .health: (try? URLQuery(of: request)).flatMap { try? MisplacedRules(request, $0) } == nil
    }
  }

  private enum Place {
    case health
    /// `/.ready`: whether requests should come, and what is in the way.
    case readiness
    /// `/.health/live`: the process answers.
    case live
    /// `/.health/ready`: whether requests should come, in a word.
    case ready

    /// nil for the path of something else. Slashes may be many.
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

  /// Answers at once: nothing is waited for.
  package func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    loop.eventLoop.makeSucceededFuture(HTTPResponse(answer(request)))
  }

  private func answer(_ http: HTTPRequest) -> RESTResponse {
    if http.method == .OPTIONS { return .preflight(http.headers) }
    do throws(RESTFailure) {
      let query = try URLQuery(of: http)
      let envelope = try RESTEnvelope(http, query)
      do throws(RESTFailure) {
        return envelope.wrap(try answer(try RESTRequest.Method(http, query), at: Place(http) ?? .health))
      } catch {
        return envelope.wrap(RESTResponse(error))
      }
    } catch {
      return RESTResponse(error)
    }
  }

  private func answer(_ method: RESTRequest.Method, at place: Place) throws(RESTFailure) -> RESTResponse {
    guard method.isRead else { throw place == .health ? .missingSuffix : .methodNotAllowed }
    if place == .live { return RESTResponse(["state": "live"]) }
    let health = ServerHealth(services)
    if place == .ready {
      let body: JSON = ["state": .string(health.word)]
      return RESTResponse(status: health.isReady ? 200 : 503, body: body.text())
    }
    let isGood = place == .health ? health.isGood : health.isReady
    var members: [JSON.Member] =
      place == .health
      ? [.init("status", .string(health.isGood ? "ok" : "unavailable"))]
      : [
        .init("ready", .bool(isGood)), .init("databases", .string(health.databases.rawValue)),
        .init("accounts", .string(health.accounts.rawValue)),
      ]
    if let text = health.text { members.append(.init(health.isGood ? "warning" : "error", .string(text))) }
    if health.isShortOfRoom { members.append(.init("warning", .string("There is little room on the disk."))) }
    // Tools that start an emulator wait for this.
    if place == .health, services.isEmulator {
      members.append(.init("authEmulator", ["ready": true]))
    }
    return RESTResponse(status: isGood ? 200 : 503, body: JSON.object(members).text())
  }

  // MARK: What the transport asks

  /// The refusal in the form of all others.
  package func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    HTTPResponse(RESTResponse(RESTFailure(failure)))
  }

  /// Nobody's credential is looked at, so nobody may send a large body.
  package func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller { .anonymous }
}
