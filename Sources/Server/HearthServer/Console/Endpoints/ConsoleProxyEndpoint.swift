import HearthConsole
import HearthTransport
import NIOCore

/// The console's endpoint for operations of the server's own administration.
struct ConsoleProxyEndpoint: ConsoleEndpoints {
  let context: ConsoleContext

  func relay(_ name: String) -> EventLoopFuture<HTTPResponse> {
    do throws(ConsoleFailure) {
      guard let parameters = call.parameters else { throw .badQuery }
      // The list of operations allows each operation with its method only, so that a request must not override its method.
      guard parameters["x-http-method-override"] == nil else { throw .badQuery }
      let session = try session(isUse: parameters["peek"] != "1")
      let proxy = ConsoleProxy(
        console: console, services: services, responder: responder.server(), call: call, loop: loop)
      return try proxy.answer(String(name.dropFirst(ConsoleProxy.prefix.count)), for: session)
    } catch {
      return loop.eventLoop.makeSucceededFuture(ConsoleResponder.answer(error))
    }
  }
}
