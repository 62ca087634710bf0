import HearthTree
import NIOCore
import NIOHTTP1

/// An HTTP connection of the load generator, kept open, with one request at a time. It belongs to one event loop.
final class BenchHTTP: ChannelInboundHandler {
  typealias InboundIn = NIOHTTPClientResponseFull
  typealias OutboundOut = HTTPClientRequestPart

  /// A request of a load, sent repeatedly.
  struct Request: Sendable {
    var method = HTTPMethod.POST
    var path: String
    var contentType = "application/json"
    var body = ""
    /// The credential for the authorization header; nil when it is part of the path.
    var credential: String?
    var headers: [String: String] = [:]

    func head(authority: String) -> HTTPRequestHead {
      var head = HTTPRequestHead(
        version: .http1_1, method: method, uri: path,
        headers: ["Host": authority, "Content-Type": contentType, "Content-Length": String(body.utf8.count)])
      if let credential { head.headers.add(name: "Authorization", value: "Bearer \(credential)") }
      for (name, value) in headers { head.headers.add(name: name, value: value) }
      return head
    }
  }

  struct Answer: Sendable {
    var status: Int
    var body: ByteBuffer?
  }

  /// Called for each answer, with its status and body.
  var onAnswer: (BenchHTTP, Int, ByteBuffer?) -> Void = { _, _, _ in }
  /// Called when the connection ends, for any reason.
  var onClose: () -> Void = {}
  private var context: ChannelHandlerContext?
  private let authority: String

  init(authority: String) { self.authority = authority }

  func connect(
    on loop: any EventLoop, host: String, port: Int, from source: String? = nil
  ) -> EventLoopFuture<Void> {
    BenchDialer.connect(self, on: loop, host: host, port: port, from: source) { pipeline in
      try pipeline.addHTTPClientHandlers()
      try pipeline.addHandler(NIOHTTPClientResponseAggregator(maxContentLength: 1 << 20))
    }
  }

  func send(_ request: Request) {
    guard let context else { return }
    context.write(wrapOutboundOut(.head(request.head(authority: authority))), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: request.body)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  /// Makes one request on its own connection and event loop.
  static func ask(_ request: Request, of target: BenchTarget) async throws -> Answer {
    try await BenchLoop.run { loop in
      let answer = loop.makePromise(of: Answer.self)
      let connection = BenchHTTP(authority: target.authority)
      connection.onAnswer = { connection, status, body in
        answer.succeed(Answer(status: status, body: body))
        connection.close()
      }
      connection.onClose = {
        answer.fail(BenchSockets.Failure(description: "the server closed a connection without an answer"))
      }
      connection.connect(on: loop, host: target.host, port: target.port).assumeIsolated().whenComplete { result in
        if case .failure(let error) = result { return answer.fail(error) }
        connection.send(request)
      }
      return answer.futureResult
    }
  }

  /// Makes an administrator's request to the server's settings.
  ///
  /// - Parameter operation: The path after `/.settings/`, such as `triggers.json`.
  @discardableResult
  static func settings(
    _ method: HTTPMethod, _ operation: String, _ members: [JSON.Member]? = nil, of target: BenchTarget
  ) async throws -> JSON {
    let body = members.map { String(decoding: JSON.object($0).text(), as: UTF8.self) } ?? ""
    let request = Request(
      method: method, path: "/.settings/\(operation)?auth=\(target.adminCredential)", body: body)
    let answer = try await ask(request, of: target)
    guard answer.status == 200, let json = answer.body.flatMap({ JSON(parsing: $0.readableBytesView) }) else {
      throw BenchServer.Failure(description: "\(operation): status \(answer.status)")
    }
    return json
  }

  func close() { context?.close(promise: nil) }

  /// Stores the context before the channel is active, because the caller may use the connection from then on.
  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let response = unwrapInboundIn(data)
    onAnswer(self, Int(response.head.status.code), response.body)
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    onClose()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
