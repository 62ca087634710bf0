import HearthTree

/// An HTTP answer, before it is bytes.
struct RESTResponse: Sendable {
  var status: Int
  var headers: [(name: String, value: String)]
  var body: [UInt8]

  init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// 204: what `print=silent` asks for.
  static let silent = RESTResponse(status: 204, body: [])

  init(_ failure: RESTFailure) {
    let error = JSON.object([.init("error", .string(failure.text))])
    self.init(status: failure.status, body: error.text(pretty: true))
  }

  mutating func set(etag: String) { headers.append((name: "ETag", value: etag)) }
}
