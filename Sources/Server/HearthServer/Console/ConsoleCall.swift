import HearthAccounts
import HearthConsole
import HearthEngine
import HearthGateway
import HearthTransport
import HearthTree
import NIOHTTP1

/// A request to the console's API that passed the checks of its origin.
struct ConsoleCall: Sendable {
  let request: HTTPRequest
  /// The authority that the browser requests: the request's `Host`.
  let authority: String
  /// True when the browser's own connection has TLS.
  let isEncrypted: Bool
  let client: ClientInfo
  let now: Instant

  /// The browser's half of a session: the cookie.
  var cookie: String? {
    ConsoleHeaders.cookie(in: request.headers["Cookie"], at: authority, isEncrypted: isEncrypted)
  }

  /// The page's half: the token.
  var token: String? { request.header(ConsoleResponder.tokenHeader) }

  /// The parameters of the query, each of which may occur once; nil for an invalid query.
  var parameters: [String: String]? {
    guard let query = try? URLQuery(request.query) else { return nil }
    var parameters: [String: String] = [:]
    for parameter in query.parameters where parameters.updateValue(parameter.value, forKey: parameter.name) != nil {
      return nil
    }
    return parameters
  }

  /// The body, which is a JSON object; nil for any other.
  var body: JSON? {
    guard let body = JSON(parsing: request.body.readableBytesView), body.members != nil else { return nil }
    return body
  }
}

/// The reason why a request of the page is refused.
struct ConsoleFailure: Error {
  let status: HTTPResponseStatus
  /// The sentence for the page.
  let text: String

  init(_ status: HTTPResponseStatus, _ text: String) { (self.status, self.text) = (status, text) }

  static let noSession = ConsoleFailure(.unauthorized, "No session, or it has ended. Open a new link.")
  static let readOnly = ConsoleFailure(.forbidden, "This session is read-only.")
  /// The request for a proof of presence, after which the page repeats its own request.
  static let presence = ConsoleFailure(
    .preconditionRequired, "Confirm your presence: this session was opened more than 15 minutes ago.")
  static let notFound = ConsoleFailure(.notFound, "Nothing is served at this path.")
  static let unavailable = ConsoleFailure(.serviceUnavailable, "The server cannot do this at the moment.")
  static let badQuery = ConsoleFailure(.badRequest, "The query string is not valid.")
  static let badBody = ConsoleFailure(.badRequest, "The body must be a JSON object.")
}
