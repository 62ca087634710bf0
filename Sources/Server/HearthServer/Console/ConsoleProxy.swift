import HearthConsole
import HearthCrypto
import HearthGateway
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// `/.console/api/server/…`: the page's requests to the server's administration.
///
/// The rest of the path is that of an operation of the server, if it is in ``ConsoleProxyTable``. The same code
/// responds as to a tool's request, in the name of the session: the cookie gives no access outside of the console, so
/// the request is passed on inside of the program with a token of its own, which is valid for a minute and reaches no
/// browser.
struct ConsoleProxy: Sendable {
  /// The path before the operation's.
  static let prefix = "server/"
  /// The maximum size of a body: rules files and lists of users are the largest.
  static let bodyBytesMax = 8 << 20
  private static let tokenSeconds: Int64 = 60
  /// The headers that are passed on with a browser's request. Its credentials are not.
  private static let headers = [
    "Content-Type", "User-Agent", "Accept-Language", "If-Match", "If-None-Match", "X-Forwarded-For",
    "X-Forwarded-Proto",
    "Forwarded", "X-Real-IP",
  ]

  let console: Console
  let services: GatewayServices
  /// The responder for requests of this machine.
  let responder: any HTTPResponder
  let call: ConsoleCall
  let loop: TransportLoop

  /// Responds to a request.
  ///
  /// - Parameter path: the operation's path, without a slash before it.
  /// - Throws: a refusal; no operation was called.
  func answer(_ path: String, for session: ConsoleSession) throws(ConsoleFailure) -> EventLoopFuture<HTTPResponse> {
    guard let operation = ConsoleProxyTable.operation(call.request.method.rawValue, path) else { throw .notFound }
    try session.require(operation.permission(for: call.request.body.readableBytesView))
    let project = services.accounts.own.configuration.projectID
    var request = HTTPRequest(
      method: call.request.method, target: "/" + operation.target(of: path, project: project),
      headers: HTTPHeaders(Self.headers.flatMap { name in call.request.headers[name].map { (name, $0) } }),
      body: call.request.body, peer: call.request.peer, id: call.request.id)
    let query = call.request.query
    if !query.isEmpty { request.target += "?" + String(decoding: query, as: UTF8.self) }
    request.headers.add(name: "Host", value: call.authority)
    request.headers.add(name: "Authorization", value: "Bearer \(try token(of: session))")
    request.cancellation = call.request.cancellation
    if operation.namesTool { request.body = Self.named(session.name, in: request.body) }
    let handed = NIOLoopBound((responder, request), eventLoop: loop.eventLoop)
    guard operation.isChange else {
      let isShort = session.role == .viewer && operation.isOfTenants
      return answer(handed.value.0, handed.value.1) { isShort ? Self.withoutTestNumbers($0) : $0 }
    }
    // The audit record of the change is written before the change.
    let recorded = loop.eventLoop.makePromise(of: Void.self)
    recorded.completeWithTask {
      await console.record(
        "session \(session.id) (\(session.name)): \(call.request.method.rawValue) /\(path)", uid: session.uid,
        by: call.client)
    }
    return recorded.futureResult.flatMap { answer(handed.value.0, handed.value.1) }
  }

  /// Responds with a part of the operation's response.
  ///
  /// - Parameter shown: returns the part of the response's body for the session.
  private func answer(
    _ responder: any HTTPResponder, _ request: HTTPRequest,
    shown: @escaping @Sendable (ByteBuffer) -> ByteBuffer = { $0 }
  ) -> EventLoopFuture<HTTPResponse> {
    responder.respond(to: request, on: loop).map { answer in
      ConsoleResponder.answer(
        answer.status, headers: [(name: "Content-Type", value: "application/json; charset=utf-8")],
        body: shown(answer.body))
    }
  }

  /// Returns a tenant, or a list of them, without the codes of test phone numbers: a viewer sees no credentials.
  private static func withoutTestNumbers(_ body: ByteBuffer) -> ByteBuffer {
    func shortened(_ json: JSON) -> JSON {
      let members = (json.members ?? []).filter { $0.name != "testPhoneNumbers" }
      return .object(
        members.map { member in
          guard member.name == "tenants", let tenants = member.value.array else { return member }
          return JSON.Member(member.name, .array(tenants.map(shortened)))
        })
    }
    guard let json = JSON(parsing: body.readableBytesView), json.members != nil else { return ByteBuffer() }
    return ByteBuffer(bytes: shortened(json).text())
  }

  /// Returns a token with the session's own rights, which the operation checks once more.
  private func token(of session: ConsoleSession) throws(ConsoleFailure) -> String {
    do throws(RandomnessError) {
      return try services.accounts.own.keys.adminTokens.mint(
        session: session.id, isViewer: session.role == .viewer, isPresent: session.isPresent,
        nowSeconds: call.now.wallMilliseconds / 1_000, lifetimeSeconds: Self.tokenSeconds, random: .system)
    } catch {
      throw .unavailable
    }
  }

  /// Returns the body of a change of rules, with the name of the session that made it.
  private static func named(_ name: String, in body: ByteBuffer) -> ByteBuffer {
    guard let members = JSON(parsing: body.readableBytesView)?.members else { return body }
    let others = members.filter { $0.name != "tool" }
    return ByteBuffer(bytes: JSON.object(others).appending(["tool": "console, \(name)"]).text())
  }
}
