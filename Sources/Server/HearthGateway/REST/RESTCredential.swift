import HearthTransport
import HearthTree
import NIOHTTP1

/// The credential of a request.
struct RESTCredential: Sendable {
  /// The place of the credential, which decides the words of a refusal.
  enum Source: Sendable {
    /// The parameter `auth=`.
    case auth
    /// The parameter `access_token=`, or the header `Authorization: Bearer`.
    case bearer
  }

  var token: String
  var source: Source
  /// True when the request has only an `Authorization: Bearer`, which programs and pages' own code send.
  var isHeader = false
  /// The parameter `auth_variable_override`; nil when it is absent.
  var override: CallerAuthenticator.Override?

  /// Finds the credential of a request; nil when it has none. Beside a parameter an `Authorization` of another scheme
  /// than bearer is ignored: it may be meant for a proxy between client and server.
  ///
  /// - Throws: 400 for two credentials that differ, because one of them is not the one that the client means, and for
  ///   an override that is neither an object nor `null`; 401 for an `Authorization` of another scheme alone, and for an
  ///   override without a credential.
  init?(headers: HTTPHeaders, query: URLQuery) throws(RESTFailure) {
    let auth = try query.single("auth")
    let accessToken = try query.single("access_token")
    override = try Self.override(query)
    guard auth == nil || accessToken == nil else {
      throw RESTFailure(400, "auth and access_token may not be given together.")
    }
    let authorizations = headers["Authorization"]
    guard authorizations.count <= 1 else { throw RESTFailure(400, "Authorization given more than once.") }
    let bearer = authorizations.first.flatMap(Self.bearer)
    if let token = auth ?? accessToken {
      guard bearer == nil || bearer == token else { throw RESTFailure(400, "Two different credentials were given.") }
      (self.token, source) = (token, auth == nil ? .bearer : .auth)
    } else if let bearer {
      (token, source, isHeader) = (bearer, .bearer, true)
    } else {
      guard authorizations.isEmpty, override == nil else { throw .unauthorized }
      return nil
    }
  }

  private static func bearer(_ header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }

  private static func override(_ query: URLQuery) throws(RESTFailure) -> CallerAuthenticator.Override? {
    guard let text = try query.single("auth_variable_override") else { return nil }
    switch JSON(parsing: text.utf8) {
    case .null?: return .signedOut
    case .object(let members)?: return .auth(.object(members))
    default: throw RESTFailure(400, "auth_variable_override must be a JSON object or null.")
    }
  }
}
