import NIOCore
import NIOHTTP1

/// A response: whole, or the beginning of a stream. Length, date, connection and request id headers are added when it is written.
package struct HTTPResponse: Sendable {
  /// The first line's; its reason is the standard's.
  package var status: HTTPResponseStatus
  /// In the order in which they are written. Line breaks in values are written as spaces.
  package var headers: [(name: String, value: String)]
  /// The whole body, or of a stream what leaves with the head.
  package var body: ByteBuffer
  /// The connection ends after this response.
  var closesConnection = false
  /// Milliseconds for which nothing more is read of the connection, which goes on after that.
  package var restMilliseconds: Int64 = 0
  /// The request had no effect, and another node of the cluster may be the one that carries it out now.
  package var mayBeginAnew = false
  /// Who goes on with the body, behind ``body``; the connection is the stream's own from then on.
  package var stream: NIOLoopBound<any HTTPStreamDelegate>?
  /// The body of ``stream`` is not framed: it ends with the connection, also for clients of HTTP/1.1.
  package var isUnframed = false

  /// A whole response, after which the connection goes on.
  package init(
    _ status: HTTPResponseStatus, headers: [(name: String, value: String)] = [], body: ByteBuffer = ByteBuffer()
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
