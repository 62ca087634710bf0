import HearthAccounts
import HearthTree

/// The response to an ``IdentityRequest``. The server adds the header fields that every response of the interface has.
package struct IdentityResponse: Sendable {
  /// The HTTP status.
  package var status: Int
  /// The value of `Content-Type`.
  package var contentType: String
  /// The whole body.
  package var body: [UInt8]
  /// The caching policy; `no-store` by default.
  package var cacheControl = "no-store"
  /// Further header fields, in this order.
  package var headers: [(name: String, value: String)] = []
  /// True for a page for browsers, which sets all its headers itself; pages of other origins may read other responses.
  package var isForBrowsers = false
  /// The protocol's code of an error; nil for a success.
  package var problem: String?
  /// True when apps get the response unchanged although its status reports a server failure: it refuses a sign-in, and
  /// says nothing about signed-in users.
  package var isPassedToApps = false

  /// Creates a response with the given body; JSON by default.
  package init(status: Int = 200, contentType: String = "application/json; charset=utf-8", body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// Creates a response with the given value as JSON.
  package init(_ json: JSON, status: Int = 200) {
    self.init(status: status, body: json.text())
  }

  /// Returns a public response that may be cached for an hour.
  static func published(_ body: [UInt8]) -> IdentityResponse {
    var response = IdentityResponse(body: body)
    response.cacheControl = "public, max-age=3600"
    return response
  }

  /// Returns the refusal of a request that was not evaluated, in the protocol's form.
  package static func refusal(status: Int = 400, _ text: String) -> IdentityResponse {
    AccountError(.invalidArgument, text).response(status: status)
  }

  /// Returns a response for a temporary failure. It has no JSON, so that clients treat it as a network failure, and not
  /// as a statement about their user.
  package static func busy(status: Int = 503) -> IdentityResponse {
    var response = IdentityResponse(
      status: status, contentType: "text/plain; charset=utf-8",
      body: Array("The server cannot answer at the moment. Try again.\n".utf8))
    response.headers = [("Retry-After", "5")]
    return response
  }

  /// Returns a response for a request with an unknown outcome. It has no JSON for the same reason, and does not suggest
  /// a retry.
  package static func unanswered(status: Int) -> IdentityResponse {
    IdentityResponse(
      status: status, contentType: "text/plain; charset=utf-8",
      body: Array("There was no response. The request may have been carried out.\n".utf8))
  }

  /// The response for a temporary failure: without JSON, so that clients treat it as a bad connection.
  static let tryAgain = IdentityResponse(
    status: 503, contentType: "text/plain; charset=utf-8", body: Array("Try again.\n".utf8))
}
