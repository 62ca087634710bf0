import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

extension HTTPResponse {
  /// Returns a JSON response.
  static func json(_ status: HTTPResponseStatus, _ body: JSON) -> HTTPResponse {
    HTTPResponse(
      status, headers: [(name: "Content-Type", value: "application/json; charset=utf-8")],
      body: ByteBuffer(bytes: body.text()))
  }

  /// Returns a response with `{"error": "…"}`, as in the REST API.
  static func refusal(_ status: HTTPResponseStatus, _ text: String) -> HTTPResponse {
    json(status, ["error": .string(text)])
  }
}
