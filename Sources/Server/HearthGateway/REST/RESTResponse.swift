import HearthTransport
import HearthTree
import NIOCore

/// An HTTP answer, before its head is bytes.
struct RESTResponse: Sendable {
  /// Takes the one answer to a request.
  typealias Completion = (RESTResponse) -> Void

  static let json = "application/json; charset=utf-8"

  var status: Int
  var headers: [(name: String, value: String)]
  var contentType = json
  /// As it is sent: large ones are made away from event loops, and nothing is copied on the way out.
  var body: ByteBuffer
  /// The request's envelope is around it already.
  var isWrapped = false
  /// Milliseconds for which the connection is left unread after the answer.
  var restMilliseconds: Int64 = 0
  /// Writes the rest of a body that is sent in pieces; nil when the body is complete.
  var stream: NIOLoopBound<any HTTPStreamDelegate>?

  init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body.isEmpty ? ByteBuffer() : ByteBuffer(bytes: body)
  }

  /// 204: what `print=silent` asks for.
  static let silent = RESTResponse(status: 204, body: [])

  /// What a write of settings is answered.
  static let done = RESTResponse(["status": "ok"] as JSON)

  init(_ json: JSON, pretty: Bool = false) { self.init(body: json.text(layout: pretty ? .service : .compact)) }

  init(_ failure: RESTFailure) {
    let error: JSON = ["error": .string(failure.text)]
    self.init(status: failure.status, body: error.text(layout: .service))
    if let seconds = failure.retryAfterSeconds { headers.append((name: "Retry-After", value: "\(seconds)")) }
    restMilliseconds = failure.restMilliseconds
  }

  mutating func set(etag: String) { headers.append((name: "ETag", value: etag)) }
}
