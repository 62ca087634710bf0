import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension HTTPClient {
  /// The body of a response, piece by piece as it arrives: unread data stays in the socket.
  struct Body {
    fileprivate var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
    fileprivate let place: String
    private var isAtEnd = false

    fileprivate init(parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator, place: String) {
      self.parts = parts
      self.place = place
    }

    /// Returns the next bytes; nil at the end.
    ///
    /// - Throws: ``HTTPClient/Failure`` for a truncated response.
    mutating func next() async throws -> ByteBuffer? {
      while !isAtEnd {
        switch try await part() {
        case .body(let bytes)?: return bytes
        case .end?: isAtEnd = true
        case .head?: continue
        case nil: throw Failure(description: "\(place) ended the response before it was complete")
        }
      }
      return nil
    }

    fileprivate mutating func part() async throws -> HTTPClientResponsePart? {
      do {
        return try await parts.next()
      } catch let failure as Failure {
        throw failure
      } catch {
        throw Failure(description: "the connection to \(place) failed\(HTTPClient.reason(error))")
      }
    }

    /// Returns all remaining bytes.
    ///
    /// - Throws: ``HTTPClient/Failure`` when that is more than `bytesMax`.
    mutating func collect(bytesMax: Int) async throws -> [UInt8] {
      var bytes: [UInt8] = []
      while let piece = try await next() {
        guard bytes.count + piece.readableBytes <= bytesMax else {
          throw Failure(description: "\(place) sent a response of more than \(bytesMax) bytes", isTooLong: true)
        }
        bytes += piece.readableBytesView
      }
      return bytes
    }
  }

  /// Sends a request and reads the response while it arrives. The connection ends with `work`.
  ///
  /// - Parameters:
  ///   - silenceSecondsMax: The silence of the server after which the request fails.
  ///   - work: Receives the status and the body.
  func stream<Value: Sendable>(
    method: HTTPMethod, target: String, headers more: [(String, String)] = [],
    silenceSecondsMax: Int64 = HTTPClient.timeoutSeconds,
    _ work: (_ status: Int, _ body: inout Body) async throws -> Value
  ) async throws -> Value {
    var head = HTTPRequestHead(
      version: .http1_1, method: method, uri: target, headers: headers(contentType: nil, body: nil))
    for (name, value) in more { head.headers.replaceOrAdd(name: name, value: value) }
    let channel = try await streamChannel(silenceSecondsMax: silenceSecondsMax)
    let place = place
    var value: Value?
    do {
      try await channel.executeThenClose { inbound, outbound in
        var body = Body(parts: inbound.makeAsyncIterator(), place: place)
        // The response is complete although the server has closed the connection already.
        try? await outbound.write(contentsOf: [.head(head), .end(nil)])
        guard case .head(let answer)? = try await body.part() else {
          throw Failure(description: "\(place) closed the connection without a response")
        }
        value = try await work(Int(answer.status.code), &body)
      }
    } catch let error as any ChannelFailure {
      // A complete response stays valid when the server closes the connection first.
      if value == nil { throw Failure(description: "the connection to \(place) failed\(Self.reason(error))") }
    }
    guard let value else { throw Failure(description: "\(place) closed the connection without a response") }
    return value
  }

  private typealias StreamChannel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

  private func streamChannel(silenceSecondsMax: Int64) async throws -> StreamChannel {
    let tls = try address.isTLS ? context() : nil
    let (host, place) = (address.host, place)
    return try await connect(on: MultiThreadedEventLoopGroup.singleton) { channel in
      let pipeline = channel.pipeline.syncOperations
      if let tls { try pipeline.addHandler(Self.handler(tls, host: host)) }
      try pipeline.addHTTPClientHandlers()
      try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(silenceSecondsMax)))
      try pipeline.addHandler(SilenceTimeoutHandler(place: place, seconds: silenceSecondsMax))
      return try StreamChannel(wrappingChannelSynchronously: channel)
    }
  }
}

/// The handler that ends a connection after a long silence of the server.
private final class SilenceTimeoutHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let place: String
  private let seconds: Int64

  init(place: String, seconds: Int64) {
    self.place = place
    self.seconds = seconds
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
    context.fireErrorCaught(HTTPClient.Failure(description: "\(place) sent nothing for \(seconds) s"))
    context.close(promise: nil)
  }
}

/// A failure of the connection, as opposed to one of the work over it.
private protocol ChannelFailure: Error {}
extension ChannelError: ChannelFailure {}
extension IOError: ChannelFailure {}
