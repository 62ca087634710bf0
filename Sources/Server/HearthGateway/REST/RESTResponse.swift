import HearthTransport
import HearthTree
import NIOCore

/// An HTTP response, before its head is encoded.
struct RESTResponse: Sendable {
  /// Takes the single response to a request.
  typealias Completion = (RESTResponse) -> Void

  static let json = "application/json; charset=utf-8"

  var status: Int
  var headers: [(name: String, value: String)]
  var contentType = json
  /// The body as it is sent: large ones are made away from event loops, and no byte is copied on the way out.
  var body: ByteBuffer
  /// True when the request's envelope is around it already.
  var isWrapped = false
  /// The milliseconds for which the connection is not read after the response.
  var readPauseMilliseconds: Int64 = 0
  /// The delegate that writes the rest of a body in pieces; nil when the body is complete.
  var stream: NIOLoopBound<any HTTPStreamDelegate>?

  init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body.isEmpty ? ByteBuffer() : ByteBuffer(bytes: body)
  }

  /// The empty response 204, for `print=silent`.
  static let silent = RESTResponse(status: 204, body: [])

  /// The response to a write of settings.
  static let done = RESTResponse(["status": "ok"] as JSON)

  init(_ json: JSON, pretty: Bool = false) { self.init(body: json.text(layout: pretty ? .service : .compact)) }

  init(_ failure: RESTFailure) {
    let error: JSON = ["error": .string(failure.text)]
    self.init(status: failure.status, body: error.text(layout: .service))
    if let seconds = failure.retryAfterSeconds { headers.append((name: "Retry-After", value: "\(seconds)")) }
    readPauseMilliseconds = failure.readPauseMilliseconds
  }

  mutating func set(etag: String) { headers.append((name: "ETag", value: etag)) }
}
