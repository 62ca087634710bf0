import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

extension HTTPResponse {
  /// An answer in JSON.
  static func json(_ status: HTTPResponseStatus, _ body: JSON) -> HTTPResponse {
    HTTPResponse(
      status, headers: [(name: "Content-Type", value: "application/json; charset=utf-8")],
      body: ByteBuffer(bytes: body.text()))
  }

  /// `{"error": "…"}`, as the REST interface says it.
  static func refusal(_ status: HTTPResponseStatus, _ text: String) -> HTTPResponse {
    json(status, ["error": .string(text)])
  }
}
