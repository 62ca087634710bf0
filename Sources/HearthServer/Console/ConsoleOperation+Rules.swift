import HearthConsole
import HearthDatabase
import HearthRules
import HearthTransport
import HearthTree
import NIOCore

/// What tools ask, too, and what is asked of a rules file.
extension ConsoleOperation {
  func throughDoor(_ name: String) -> EventLoopFuture<HTTPResponse> {
    do throws(ConsoleFailure) {
      guard let parameters = call.parameters else { throw .badQuery }
      // The list of operations is by their methods.
      guard parameters["x-http-method-override"] == nil else { throw .badQuery }
      let session = try session(isUse: parameters["peek"] != "1")
      let door = ConsoleDoor(
        console: console, services: services, responder: responder.server(), call: call, loop: loop)
      return try door.answer(String(name.dropFirst(ConsoleDoor.prefix.count)), for: session)
    } catch {
      return loop.eventLoop.makeSucceededFuture(ConsoleResponder.answer(error))
    }
  }

  /// How often each rule came to what; null where the server does not count.
  func coverage() async throws(ConsoleFailure) -> HTTPResponse {
    let database = try await database(try looked()["ns"])
    let none = JSON.object([.init("rules", .null)])
    return ConsoleResponder.json(
      await BlockingThread.run { database.published.rules.coverage?.json ?? none })
  }

  func checkRules() async throws(ConsoleFailure) -> HTTPResponse {
    _ = try session()
    guard let source = call.body?["source"]?.string else {
      throw ConsoleFailure(.badRequest, "source must be the text of a rules file.")
    }
    return ConsoleResponder.json(await BlockingThread.run { RulesCheck.answer(source) })
  }
}
