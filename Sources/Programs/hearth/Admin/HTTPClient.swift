import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// An HTTP client for one server: a connection for each request, one request at a time.
struct HTTPClient: Sendable {
  /// The certificates that a TLS server may have.
  enum Trust: Sendable {
    /// A certificate for the host's name that the system trusts.
    case system
    /// A certificate for the host's name that an authority in this PEM file has signed.
    case authorities(path: String)
  }

  struct Answer: Sendable {
    var status: Int
    var body: [UInt8]
  }

  /// The reason that a request got no usable response.
  struct Failure: Error, CustomStringConvertible {
    var description: String
    /// True when no process listens there.
    var isRefusedConnection = false
    /// True when the answer exceeds the caller's limit.
    var isTooLong = false
  }

  /// The maximum size of a response; pages of an export are the largest.
  static let answerBytesMax = 64 << 20
  static let timeoutSeconds: Int64 = 120

  /// The server's address, with the name for certificates and requests.
  var address: ServerAddress
  var route = Route.direct
  var trust = Trust.system
  /// The token that is sent as `Authorization: Bearer`.
  var token: String?

  func send(method: HTTPMethod, target: String, contentType: String? = nil, body: [UInt8]?) async throws -> Answer {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: Answer.self)
    let tls = try address.isTLS ? context() : nil
    let head = HTTPRequestHead(
      version: .http1_1, method: method, uri: target, headers: headers(contentType: contentType, body: body))
    let host = address.host
    let channel: any Channel
    do {
      channel = try await connect(on: loop) { channel in
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(Self.handler(tls, host: host)) }
        try pipeline.addHTTPClientHandlers()
        try pipeline.addHandler(NIOHTTPClientResponseAggregator(maxContentLength: Self.answerBytesMax))
        try pipeline.addHandler(Exchange(head: head, body: body, answer: answer))
        return channel
      }
    } catch {
      answer.fail(error)
      throw error
    }
    let timeout = loop.scheduleTask(in: .seconds(Self.timeoutSeconds)) {
      answer.fail(Failure(description: "\(place) did not respond within \(Self.timeoutSeconds) s"))
      channel.close(promise: nil)
    }
    defer { timeout.cancel() }
    do {
      let value = try await answer.futureResult.get()
      channel.close(promise: nil)
      return value
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(description: "the connection to \(place) failed\(Self.reason(error))")
    }
  }

  static func reason(_ error: any Error) -> String {
    guard case NIOSSLError.handshakeFailed(let cause) = error else { return ": \(error)" }
    return
      ": its certificate is not trusted for this name; --ca-file names the authority of a server with "
      + "a private certificate (\(cause))"
  }

  func headers(contentType: String?, body: [UInt8]?) -> HTTPHeaders {
    var headers = HTTPHeaders([("Host", address.authority), ("Connection", "close"), ("User-Agent", "hearth")])
    if let token { headers.add(name: "Authorization", value: "Bearer " + token) }
    if let body {
      headers.add(name: "Content-Type", value: contentType ?? "application/json")
      headers.add(name: "Content-Length", value: String(body.count))
    }
    return headers
  }

  func context() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    switch trust {
    case .system: break
    case .authorities(let path):
      configuration.trustRoots = .certificates(try Self.certificates(path))
    }
    return try NIOSSLContext(configuration: configuration)
  }

  private static func certificates(_ path: String) throws -> [NIOSSLCertificate] {
    do {
      return try NIOSSLCertificate.fromPEMFile(path)
    } catch {
      throw Failure(description: "no PEM certificates could be read from \(path)")
    }
  }

  /// Returns the TLS handler. The server name indication needs a name: an IP address is checked against the
  /// certificate, but not sent.
  static func handler(_ context: NIOSSLContext, host: String) throws -> NIOSSLClientHandler {
    do {
      return try NIOSSLClientHandler(context: context, serverHostname: host)
    } catch let error as NIOSSLExtraError where error == .cannotUseIPAddressInSNI {
      return try NIOSSLClientHandler(context: context, serverHostname: nil)
    }
  }
}

/// The handler of a connection's single request and its response.
private final class Exchange: ChannelInboundHandler {
  typealias InboundIn = NIOHTTPClientResponseFull
  typealias OutboundOut = HTTPClientRequestPart

  private let head: HTTPRequestHead
  private let body: [UInt8]?
  private let answer: EventLoopPromise<HTTPClient.Answer>

  init(head: HTTPRequestHead, body: [UInt8]?, answer: EventLoopPromise<HTTPClient.Answer>) {
    self.head = head
    self.body = body
    self.answer = answer
  }

  func channelActive(context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if let body { context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let response = unwrapInboundIn(data)
    answer.succeed(
      HTTPClient.Answer(status: Int(response.head.status.code), body: response.body.map { Array(buffer: $0) } ?? []))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer.fail(HTTPClient.Failure(description: "the server closed the connection without a response"))
  }
}
