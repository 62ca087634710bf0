import HearthAccounts
import HearthBytes
import HearthConsole
import HearthGateway
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// `/.console/`: the console's page, and its API.
///
/// | request | answer |
/// |---|---|
/// | `GET /.console/` and `assets/NAME` | the page and its assets, to every client of a known host |
/// | `POST api/session` | a session, for the key of a link or the ID token of a user with the operator's claim |
/// | `GET`, `DELETE api/session` | its state; its end |
/// | `GET api/databases` | their names |
/// | `POST api/credential` | a credential for a socket, for a few minutes |
/// | `GET api/outline` | the structure below a node, without values |
/// | `GET api/events` | changes, as an event stream |
/// | `GET api/now/figures`, `now/connections`, `now/listens`, `now/log`, `now/state` | state, connections, listens |
/// | `POST api/now/disconnect` | disconnects a client, which reconnects |
/// | `POST api/download`, `GET api/download/KEY` | a part of a database, once, as a file |
/// | `GET api/people`, `api/people/one` | accounts, with their sessions and records of the audit trail |
/// | `POST api/rules/check` | the problems of a rules file |
/// | `api/server/…` | the server's administration |
///
/// All requests but those for the page need the session's two halves: its cookie, and its token in a custom header.
struct ConsoleResponder: ToolResponder {
  static let prefix = "/.console"
  static let tokenHeader = "X-Hearth-Console"

  let services: GatewayServices
  let console: Console
  /// Returns the responder for requests of tools on this machine.
  let server: @Sendable () -> any HTTPResponder
  let assets = ConsoleAssets.all

  /// The maximum size of a body: an ID token is the longest, except for rules and users.
  let bodyBytesMax = 64 << 10

  static func isFor(_ path: String) -> Bool { path == prefix || path.hasPrefix(prefix + "/") }

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    let path = request.path
    let api = Self.prefix + "/api/"
    let purpose = Self.purpose(request, api: api)
    let isEncrypted = isEncrypted(request)
    let shown = ConsoleRequest(
      purpose, hosts: request.headers["Host"], origins: request.headers["Origin"],
      fetchSites: request.headers["Sec-Fetch-Site"], tokens: request.headers[Self.tokenHeader],
      isJSON: Self.isJSON(request), isEncrypted: isEncrypted)
    let call: ConsoleCall
    do throws(ConsoleRefusal) {
      call = ConsoleCall(
        request: request, authority: try shown.checked(console.hosts), isEncrypted: isEncrypted,
        client: client(request), now: SystemClock.now)
    } catch {
      return refuse(request, error, on: loop)
    }
    guard purpose != .asset else { return loop.eventLoop.makeSucceededFuture(asset(call)) }
    let operation = String(path.dropFirst(api.count))
    return ConsoleDispatcher(context: ConsoleContext(responder: self, call: call, loop: loop)).answer(operation)
  }

  private static func purpose(_ request: HTTPRequest, api: String) -> ConsoleRequest.Purpose {
    let path = request.path
    guard path.hasPrefix(api) else { return .asset }
    switch request.method {
    case .POST where path == api + "session": return .signIn
    case .GET where path.hasPrefix(api + ConsoleDownloads.prefix): return .download
    default: return .session
    }
  }

  private func refuse(
    _ request: HTTPRequest, _ refusal: ConsoleRefusal, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    let client = client(request)
    Task { [console] in
      await console.recordRefusal(refusal.rawValue, by: client, now: SystemClock.now)
    }
    return loop.eventLoop.makeSucceededFuture(Self.answer(ConsoleFailure(.forbidden, refusal.sentence)))
  }

  private func client(_ request: HTTPRequest) -> ClientInfo {
    let agent = request.header("User-Agent") ?? ""
    return ClientInfo(
      address: services.origin(of: request).address,
      userAgent: String(decoding: agent.utf8.prefix(IdentityResponder.userAgentBytesMax), as: UTF8.self),
      requestID: request.id)
  }

  private static func isJSON(_ request: HTTPRequest) -> Bool {
    let types = request.headers["Content-Type"]
    guard types.count == 1, let type = types.first else { return false }
    return type.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }.elementsEqual("application/json".utf8)
  }

  /// Returns true when the browser's own connection has TLS; a trusted proxy's headers are believed.
  private func isEncrypted(_ request: HTTPRequest) -> Bool {
    if request.peer.isEncrypted { return true }
    guard let address = request.peer.address?.ipAddress.flatMap({ IPAddress($0) }), services.proxies.contains(address)
    else { return false }
    return request.headers["X-Forwarded-Proto"] == ["https"]
  }

  // MARK: The page

  private func asset(_ call: ConsoleCall) -> HTTPResponse {
    guard call.request.method == .GET || call.request.method == .HEAD else {
      return Self.answer(ConsoleFailure(.methodNotAllowed, "Use GET."))
    }
    let path = call.request.path
    guard path != Self.prefix else {
      return Self.answer(.permanentRedirect, headers: [(name: "Location", value: Self.prefix + "/")])
    }
    let rest = path.dropFirst(Self.prefix.count + 1)
    let name = rest.isEmpty ? ConsoleAssets.indexName : String(rest.dropFirst("assets/".count))
    guard rest.isEmpty || rest.hasPrefix("assets/"), let asset = assets[name], asset.isImmutable != rest.isEmpty else {
      return Self.answer(.notFound)
    }
    let takesGzip = call.request.headers[canonicalForm: "Accept-Encoding"].contains { Self.isGzip($0) }
    var headers = [(name: "Content-Type", value: asset.contentType), (name: "Vary", value: "Accept-Encoding")]
    if takesGzip {
      headers.append((name: "Content-Encoding", value: "gzip"))
      return Self.answer(
        .ok, headers: headers, body: ByteBuffer(bytes: asset.compressed), isImmutable: asset.isImmutable)
    }
    guard let plain = assets.plain(name) else { return Self.answer(.internalServerError) }
    return Self.answer(.ok, headers: headers, body: ByteBuffer(bytes: plain), isImmutable: asset.isImmutable)
  }

  /// Returns true when an element of `Accept-Encoding` takes gzip: `gzip`, `gzip;q=0.5`, and not `gzip;q=0`.
  private static func isGzip(_ element: Substring) -> Bool {
    let parts = element.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
    guard parts.first == "gzip" else { return false }
    return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
  }

  // MARK: Responses

  static func answer(
    _ status: HTTPResponseStatus, headers: [(name: String, value: String)] = [], body: ByteBuffer = ByteBuffer(),
    isImmutable: Bool = false
  ) -> HTTPResponse {
    HTTPResponse(status, headers: ConsoleHeaders.all(isImmutable: isImmutable) + headers, body: body)
  }

  static func json(
    _ body: JSON, status: HTTPResponseStatus = .ok, headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    answer(
      status, headers: [(name: "Content-Type", value: "application/json; charset=utf-8")] + headers,
      body: ByteBuffer(bytes: body.text()))
  }

  static func answer(_ failure: ConsoleFailure) -> HTTPResponse {
    json(["error": .string(failure.text)], status: failure.status)
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    let (status, text) = failure.explanation
    return Self.answer(ConsoleFailure(status, text))
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? {
    let rest = request.path.dropFirst(Self.prefix.count + "/api/".count)
    let isLong = rest.hasPrefix(ConsoleProxy.prefix) || rest == "rules/check"
    return HTTPBodyLimit(
      bytesMax: isLong ? ConsoleProxy.bodyBytesMax : bodyBytesMax,
      response: { Self.answer(ConsoleFailure(.payloadTooLarge, "The request is too large.")) })
  }

  /// Returns the sender of a large body: a browser with a session, or an anonymous client.
  func caller(of request: HTTPRequest, on loop: TransportLoop) -> HTTPBodyCaller {
    guard let authority = request.header("Host") else { return .anonymous }
    let call = ConsoleCall(
      request: request, authority: authority, isEncrypted: isEncrypted(request), client: client(request),
      now: SystemClock.now)
    return console.session(call, isUse: false) == nil ? .anonymous : .known
  }
}
