import NIOCore
import NIOHTTP1

/// Answers requests. The transport calls it on the connection's event loop, one request of a connection at a time.
protocol HTTPResponder: Sendable {
  /// The future may be completed from any thread. Until it is, the connection's next request waits.
  func respond(to request: HTTPRequest, on loop: TransportLoop) -> EventLoopFuture<HTTPResponse>

  /// The answer to what the transport itself refuses.
  ///
  /// - Parameter request: as far as it had arrived; nil when its head could not be read.
  func response(to failure: HTTPFailure, for request: HTTPRequest?) -> HTTPResponse

  /// A tighter limit on the request's body than the transport's own; asked when the head is there.
  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit?
}

/// How many bytes a request's body may have, and what is answered to a longer one.
struct HTTPBodyLimit: Sendable {
  var bytesMax: Int
  var response: @Sendable () -> HTTPResponse
}

/// Why the transport did not pass a request on.
enum HTTPFailure: Sendable, Equatable {
  /// Not HTTP/1, or a request that could be read in two ways.
  case malformed
  /// The target or the headers are over their limit.
  case headTooLong
  /// The body is over its limit.
  case bodyTooLong
  /// All bodies in memory together are over their limit.
  case overloaded
  /// The request did not arrive in time.
  case timeout
  /// A WebSocket handshake of another version, or with a broken key.
  case badUpgrade
  /// The responder failed.
  case internalError
}

extension HTTPFailure {
  /// The status that fits, and a sentence for the client.
  var explanation: (status: HTTPResponseStatus, text: String) {
    switch self {
    case .malformed: (.badRequest, "The request is not valid HTTP/1.1.")
    case .headTooLong: (.requestHeaderFieldsTooLarge, "The request's target or headers are too long.")
    case .bodyTooLong:
      (.badRequest, "Data to write exceeds the maximum size that can be modified with a single request.")
    case .overloaded: (.serviceUnavailable, "The server holds too many request bodies at the moment.")
    case .timeout: (.requestTimeout, "The request did not arrive in time.")
    case .badUpgrade: (.upgradeRequired, "The server speaks WebSocket version 13.")
    case .internalError: (.internalServerError, "Internal server error.")
    }
  }
}

extension HTTPResponder {
  func bodyLimit(for request: HTTPRequest) -> HTTPBodyLimit? { nil }
}
