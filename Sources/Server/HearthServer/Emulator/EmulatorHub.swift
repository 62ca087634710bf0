import HearthGateway
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// The hub of Firebase's emulators for test tools: it returns their addresses, pauses functions, and exports.
///
/// Paths and shapes are those of the hub in firebase-tools. Only programs and pages of this machine get responses; an
/// export is for programs alone.
struct EmulatorHub: HTTPResponder {
  let services: GatewayServices
  let host: String
  let ports: EmulatorPorts
  /// Exports the data into a folder; nil when the program that runs the server cannot.
  let export: (@Sendable (_ folder: String, _ databases: [String]) async throws -> Void)?
  /// Returns the existing databases.
  let databases: @Sendable () -> [String]

  enum Operation {
    case list
    /// Background functions are enabled or paused.
    case triggers(enabled: Bool)
    case export
  }

  static func operation(at path: String) -> Operation? {
    switch path {
    case "/emulators": .list
    case "/functions/disableBackgroundTriggers": .triggers(enabled: false)
    case "/functions/enableBackgroundTriggers": .triggers(enabled: true)
    case "/_admin/export": .export
    default: nil
    }
  }

  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    let answer: HTTPResponse
    switch (Self.operation(at: request.path), request.method) {
    case _ where !services.origin(of: request).isFromLoopback:
      answer = Self.refusal(.forbidden, "The emulator hub only answers programs and pages of this machine.", request)
    case (_, .OPTIONS): answer = CrossOrigin.preflight(request.headers)
    case (.list, .GET), (.list, .HEAD): answer = Self.response(.ok, list, request)
    case (.triggers(let enabled), .PUT):
      // No function runs here, so that none has to be paused.
      answer = Self.response(.ok, ["enabled": .bool(enabled)], request)
    case (.export, .POST): return export(request, on: loop)
    default: answer = Self.refusal(.methodNotAllowed, "Use GET, PUT or POST, as the path requires.", request)
    }
    return loop.eventLoop.makeSucceededFuture(answer)
  }

  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse {
    let (status, text) = failure.explanation
    return Self.refusal(status, text, request)
  }

  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? {
    HTTPBodyLimit(
      bytesMax: 64 << 10,  // because a body has only a folder's name
      response: { Self.refusal(.payloadTooLarge, "The request is too large.", request) })
  }

  // MARK: Responses

  private var list: JSON {
    .object(
      [("database", ports.database), ("auth", ports.auth), ("hub", ports.hub)].map { name, port in
        let address: JSON = [
          "address": .string(host), "port": .int(Int64(port)), "family": .string(host.contains(":") ? "IPv6" : "IPv4"),
        ]
        return .init(
          name,
          [
            "name": .string(name), "host": .string(host), "port": .int(Int64(port)),
            "listen": [address],
          ])
      })
  }

  private func export(_ request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse> {
    guard request.header("Origin") == nil else {
      return loop.eventLoop.makeSucceededFuture(
        Self.refusal(.forbidden, "Only programs of this machine can export, not web pages.", request))
    }
    guard let export else {
      return loop.eventLoop.makeSucceededFuture(Self.refusal(.notImplemented, "This server cannot export.", request))
    }
    guard let folder = JSON(parsing: Array(request.body.readableBytesView))?["path"]?.string, folder.hasPrefix("/")
    else {
      return loop.eventLoop.makeSucceededFuture(
        Self.refusal(.badRequest, "The body must be {\"path\": FOLDER}, with an absolute path.", request))
    }
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    Task { [databases] in
      do {
        try await export(folder, databases())
        promise.succeed(Self.response(.ok, ["message": "OK"], request))
      } catch {
        promise.succeed(Self.refusal(.internalServerError, "\(error)", request))
      }
    }
    return promise.futureResult
  }

  private static func refusal(_ status: HTTPResponseStatus, _ text: String, _ request: HTTPRequest?) -> HTTPResponse {
    response(status, ["message": .string(text)], request)
  }

  private static func response(_ status: HTTPResponseStatus, _ body: JSON, _ request: HTTPRequest?) -> HTTPResponse {
    HTTPResponse(
      status,
      headers: [(name: "Content-Type", value: "application/json; charset=utf-8")]
        + (request.map { CrossOrigin.headers(for: $0.headers) } ?? []),
      body: ByteBuffer(bytes: body.text()))
  }
}
