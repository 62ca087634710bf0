import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

import struct Foundation.URL
import struct Foundation.URLComponents

/// Requests to a server with the test certificate, which the system's URL loading does not trust. Each uses its own
/// connection, over TLS when the URL says so.
package enum HTTPSRequests {
  /// Sends a request and returns the answer's status and body.
  package static func send(
    _ method: String, to url: URL, headers: [String: String], body: [UInt8]
  ) async throws -> (status: Int, body: [UInt8]) {
    let host = url.host ?? ""
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: (status: Int, body: [UInt8]).self)
    let channel = try await ClientBootstrap(group: loop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if url.scheme == "https" {
            let name = host.allSatisfy { $0.isNumber || $0 == "." } ? nil : host
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: TestCertificate.clientContext(), serverHostname: name))
          }
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(Collector(answer))
        }
      }
      .connect(host: host, port: url.port ?? 443).get()
    let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    var head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: method),
      uri: (parts?.percentEncodedPath ?? "/") + (parts?.percentEncodedQuery.map { "?" + $0 } ?? ""),
      headers: HTTPHeaders(headers.map { ($0.key, $0.value) }))
    head.headers.replaceOrAdd(name: "Host", value: host)
    head.headers.replaceOrAdd(name: "Content-Length", value: "\(body.count)")
    head.headers.replaceOrAdd(name: "Connection", value: "close")
    channel.write(HTTPClientRequestPart.head(head), promise: nil)
    channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    return try await answer.futureResult.get()
  }

  private struct Ended: Error {}

  private final class Collector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let answer: EventLoopPromise<(status: Int, body: [UInt8])>
    private var status = 0
    private var body: [UInt8] = []
    private var isDone = false

    init(_ answer: EventLoopPromise<(status: Int, body: [UInt8])>) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): status = Int(head.status.code)
      case .body(let part): body += part.readableBytesView
      case .end:
        isDone = true
        answer.succeed((status, body))
        context.close(promise: nil)
      }
    }

    func channelInactive(context: ChannelHandlerContext) { fail(Ended()) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      fail(error)
      context.close(promise: nil)
    }

    private func fail(_ error: any Error) {
      if !isDone { answer.fail(error) }
      isDone = true
    }
  }
}
