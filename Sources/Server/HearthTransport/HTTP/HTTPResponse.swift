import NIOCore
import NIOHTTP1

/// A response: complete, or the beginning of a stream. The headers for length, date, connection and request id are
/// added when it is written.
package struct HTTPResponse: Sendable {
  /// The status of the first line; its reason phrase is the standard one.
  package var status: HTTPResponseStatus
  /// The headers in the order in which they are written. Line breaks in values are written as spaces.
  package var headers: [(name: String, value: String)]
  /// The whole body; for a stream, the part that is sent with the head.
  package var body: ByteBuffer
  /// True when the connection ends after this response.
  var closesConnection = false
  /// The pause in milliseconds before the connection is read again.
  package var readPauseMilliseconds: Int64 = 0
  /// True when the request had no effect, and another node of the cluster may carry it out now.
  package var isSafeToRetry = false
  /// The delegate that sends the body after ``body``, and owns the connection from then on; nil for a complete
  /// response.
  package var stream: NIOLoopBound<any HTTPStreamDelegate>?
  /// True when the body of ``stream`` is not framed: it ends with the connection, also for clients of HTTP/1.1.
  package var isUnframed = false

  /// Creates a complete response, after which the connection continues.
  package init(
    _ status: HTTPResponseStatus, headers: [(name: String, value: String)] = [], body: ByteBuffer = ByteBuffer()
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
