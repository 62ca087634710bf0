/// A failed request, with an error response: `{"error":"<text>"}` with a status.
///
/// The texts are interface: clients compare and display them.
package struct RESTFailure: Error, Equatable, Sendable {
  /// The status of the response.
  package let status: Int
  /// The error text of the response.
  package let text: String
  /// The seconds until a retry can succeed; nil when a retry would fail again.
  var retryAfterSeconds: Int?
  /// The milliseconds for which the connection is not read after the response.
  var readPauseMilliseconds: Int64 = 0

  init(_ status: Int, _ text: String) {
    self.status = status
    self.text = text
  }

  static let invalidPath = RESTFailure(400, "Invalid token in path")
  static let noData = RESTFailure(400, "Error: No data supplied.")
  static let invalidData = RESTFailure(400, "Invalid data; couldn't parse JSON object, array, or value.")
  static let invalidMerge = RESTFailure(
    400, "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?")
  static let missingSuffix = RESTFailure(400, "append .json to your request URI to use the REST API.")
  static let permissionDenied = RESTFailure(401, "Permission denied")
  static let unauthorized = RESTFailure(401, "Unauthorized request.")
  static let brokenToken = RESTFailure(401, "Could not parse auth token.")
  static let expiredToken = RESTFailure(401, "Auth token is expired")
  static let tooBig = RESTFailure(
    400, "Data requested exceeds the maximum size that can be accessed with a single request.")
  static let unknownDatabase = RESTFailure(
    404, "No such database. Check that the database URL and its ns parameter are right.")
  static let notFound = RESTFailure(404, "Not found.")
  static let methodNotAllowed = RESTFailure(405, "Method not allowed.")
  static let ifMatchNotSupported = RESTFailure(400, "if-match is not supported for this method.")
  static let ifNoneMatchNotSupported = RESTFailure(400, "if-none-match is not supported for this method.")
  static let internalError = RESTFailure(500, "Internal server error.")
  static let unavailable = RESTFailure(503, "The database is not available.")

  /// Returns the failure for a feature of the API that this server does not have.
  static func notServed(_ what: String) -> RESTFailure {
    RESTFailure(400, "This server does not support \(what).")
  }
}
