import HearthConsole
import HearthDatabase
import HearthGateway
import HearthTransport
import NIOCore

/// Operations of one area of the console's interface, for one request.
protocol ConsoleEndpoints: Sendable {
  var context: ConsoleContext { get }
  init(context: ConsoleContext)
}

extension ConsoleEndpoints {
  var responder: ConsoleResponder { context.responder }
  var call: ConsoleCall { context.call }
  var loop: TransportLoop { context.loop }
  var console: Console { context.console }
  var services: GatewayServices { context.services }

  /// See ``ConsoleContext/pageParameters()``.
  func pageParameters() throws(ConsoleFailure) -> [String: String] { try context.pageParameters() }

  /// See ``ConsoleContext/session(isUse:)``.
  func session(isUse: Bool = true) throws(ConsoleFailure) -> ConsoleSession { try context.session(isUse: isUse) }

  /// See ``ConsoleContext/database(_:)``.
  func database(_ name: String?) async throws(ConsoleFailure) -> Database { try await context.database(name) }
}
