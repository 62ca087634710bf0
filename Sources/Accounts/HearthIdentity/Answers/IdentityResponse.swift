import HearthAccounts
import HearthTree

/// The answer to an ``IdentityRequest``. The server adds what every answer of the interface carries.
package struct IdentityResponse: Sendable {
  /// The HTTP status.
  package var status: Int
  /// The value of `Content-Type`.
  package var contentType: String
  /// The whole body.
  package var body: [UInt8]
  /// `no-store` unless the answer may be kept.
  package var cacheControl = "no-store"
  /// Further header fields, in this order.
  package var headers: [(name: String, value: String)] = []
  /// True when it is a page for people, which has all its headers itself; other answers may be read by pages of other
  /// origins.
  package var isForPeople = false
  /// The protocol's code of an error; nil for what is none.
  package var problem: String?
  /// True when apps are told it as it is although its status says that the server is in trouble: it refuses a sign-in,
  /// and says nothing about who is signed in.
  package var isToldToApps = false

  /// An answer with that body; JSON unless told otherwise.
  package init(status: Int = 200, contentType: String = "application/json; charset=utf-8", body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// An answer with that value as JSON.
  package init(_ json: JSON, status: Int = 200) {
    self.init(status: status, body: json.text())
  }

  /// What anybody may keep for an hour.
  static func published(_ body: [UInt8]) -> IdentityResponse {
    var response = IdentityResponse(body: body)
    response.cacheControl = "public, max-age=3600"
    return response
  }

  /// What is refused before anybody looked at what it wants, in the protocol's words.
  package static func refusal(status: Int = 400, _ text: String) -> IdentityResponse {
    AccountError(.invalidArgument, text).response(status: status)
  }

  /// For what may go better the next time. Without JSON in it, so that clients take it for a failure of the network, and
  /// not for a word about their user.
  package static func busy(status: Int = 503) -> IdentityResponse {
    var response = IdentityResponse(
      status: status, contentType: "text/plain; charset=utf-8",
      body: Array("The server cannot answer at the moment. Try again.\n".utf8))
    response.headers = [("Retry-After", "5")]
    return response
  }

  /// For what may have been done or not, which nobody here knows. Without JSON in it for the same reason, and without a
  /// word on trying again.
  package static func unanswered(status: Int) -> IdentityResponse {
    IdentityResponse(
      status: status, contentType: "text/plain; charset=utf-8",
      body: Array("No answer came. The request may have been carried out.\n".utf8))
  }

  /// For what may go better the next time: without JSON in it, so that clients take it for a bad connection.
  static let tryAgain = IdentityResponse(
    status: 503, contentType: "text/plain; charset=utf-8", body: Array("Try again.\n".utf8))
}
