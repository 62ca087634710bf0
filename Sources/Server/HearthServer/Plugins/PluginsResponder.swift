import HearthCrypto
import HearthGateway
import HearthIdentity
import HearthPlugin
import HearthPluginHost
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// `/.settings/plugins.json` on the data folder's socket: the status of plugins, for commands of administrators.
///
/// `GET` returns `{"plugins": […]}`. `POST` first makes the running plugins match the folder, which the command has
/// changed; with `{"restart": NAME}` that plugin is restarted in any case. `POST` with `{"sms": {"to": …, "text": …}}`
/// changes no plugin, and returns `{"problem": …}` once the message is sent, with null, or given up.
struct PluginsResponder: AuthorizedResponder {
  static let path = "/.settings/plugins.json"

  let services: GatewayServices
  let host: PluginHost

  func respond(
    to request: HTTPRequest, by authority: Authority, from origin: RequestOrigin, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    guard request.method == .GET || request.method == .POST else {
      return loop.eventLoop.makeSucceededFuture(HTTPResponse.refusal(.methodNotAllowed, "Use GET or POST."))
    }
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    let isChange = request.method == .POST
    let body = JSON(parsing: request.body.readableBytesView)
    if isChange, let sms = body?["sms"] { return send(sms, promise) }
    let restarting = body?["restart"]?.string
    Task {
      if isChange { await host.reload(restarting: restarting) }
      let statuses = await BlockingThread.run { [host] in host.statuses() }
      promise.succeed(HTTPResponse.json(.ok, ["plugins": .array(statuses.map(\.json))]))
    }
    return promise.futureResult
  }

  /// Sends an operator's text message.
  private func send(_ sms: JSON, _ promise: EventLoopPromise<HTTPResponse>) -> EventLoopFuture<HTTPResponse> {
    let message = SMSMessage(kind: .test, to: sms["to"]?.string ?? "", text: sms["text"]?.string ?? "")
    guard let message else {
      promise.succeed(
        HTTPResponse.refusal(
          .badRequest, "A phone number must be + and 8 to 15 digits, and a text at most 1,600 bytes."))
      return promise.futureResult
    }
    let queue = services.accounts.own.context.server.texts
    Task {
      let problem = await queue.sendAndWait(message)
      promise.succeed(HTTPResponse.json(.ok, ["problem": problem.map { .string($0) } ?? .null]))
    }
    return promise.futureResult
  }
}
