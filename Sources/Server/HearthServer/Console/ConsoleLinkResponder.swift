import HearthAccounts
import HearthConsole
import HearthCrypto
import HearthGateway
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// `POST /.settings/console.json` of `{"readOnly": BOOL}`: a one-time link into the console, for `hearth console`.
struct ConsoleLinkResponder: AuthorizedResponder {
  static let path = "/.settings/console.json"

  /// The console; nil when none is served.
  let console: Console?

  func respond(
    to request: HTTPRequest, by authority: Authority, from origin: RequestOrigin, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    func refuse(_ status: HTTPResponseStatus, _ text: String) -> EventLoopFuture<HTTPResponse> {
      loop.eventLoop.makeSucceededFuture(HTTPResponse.refusal(status, text))
    }
    guard request.method == .POST else { return refuse(.methodNotAllowed, "Use POST.") }
    guard let console else {
      return refuse(.notFound, "This server has no console, because it runs with --no-console.")
    }
    let body = request.body.readableBytes == 0 ? [:] : JSON(parsing: request.body.readableBytesView)
    guard let body, body.members != nil, let isReadOnly = (body["readOnly"] ?? .bool(false)).bool else {
      return refuse(.badRequest, "The body must be {\"readOnly\": true} or {\"readOnly\": false}.")
    }
    let client = ClientInfo(
      address: origin.address, userAgent: request.header("user-agent") ?? "", requestID: request.id)
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    Task {
      let role = isReadOnly ? ConsoleRole.viewer : .administrator
      guard let link = try? await console.makeLink(role, for: authority.administratorName ?? "", by: client) else {
        return promise.succeed(
          HTTPResponse.refusal(.serviceUnavailable, "No link can be created at the moment. Try again."))
      }
      var answer = HTTPResponse.json(
        .ok, ["link": .string(link), "role": .string(role.rawValue)])
      answer.headers.append((name: "Cache-Control", value: "no-store"))
      promise.succeed(answer)
    }
    return promise.futureResult
  }
}
