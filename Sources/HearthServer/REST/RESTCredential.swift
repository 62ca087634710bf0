import HearthTree
import NIOHTTP1

/// What a request shows to say who is asking.
struct RESTCredential: Sendable {
  /// Where the credential was, which decides the words of a refusal.
  enum Place: Sendable {
    /// `auth=`
    case auth
    /// `access_token=` or `Authorization: Bearer`
    case bearer
  }

  var token: String
  var place: Place
  /// `auth_variable_override`
  var override: CredentialGate.Override?

  /// nil when the request shows no credential. A parameter wins over the header.
  ///
  /// - Throws: 400 for two parameters at once or an override that is neither an object nor `null`; 401 for
  ///   an `Authorization` of another kind, and for an override without a credential.
  init?(headers: HTTPHeaders, query: URLQuery) throws(RESTFailure) {
    let auth = try query.single("auth")
    let accessToken = try query.single("access_token")
    override = try Self.override(query)
    switch (auth, accessToken, headers["Authorization"].first) {
    case (_?, _?, _): throw RESTFailure(400, "auth and access_token may not be given together.")
    case (let token?, nil, _): (self.token, place) = (token, .auth)
    case (nil, let token?, _): (self.token, place) = (token, .bearer)
    case (nil, nil, let header?):
      let parts = header.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .unauthorized }
      (self.token, place) = (String(parts[1]), .bearer)
    case (nil, nil, nil):
      guard override == nil else { throw .unauthorized }
      return nil
    }
  }

  private static func override(_ query: URLQuery) throws(RESTFailure) -> CredentialGate.Override? {
    guard var text = try query.single("auth_variable_override") else { return nil }
    let value = text.withUTF8 { bytes -> JSON? in
      var reader = JSONReader(UnsafeRawBufferPointer(bytes))
      guard let value = try? reader.value(), (try? reader.end()) != nil else { return nil }
      return value
    }
    switch value {
    case .null?: return .signedOut
    case .object(let members)?: return .auth(.object(members))
    default: throw RESTFailure(400, "auth_variable_override must be a JSON object or null.")
    }
  }
}
