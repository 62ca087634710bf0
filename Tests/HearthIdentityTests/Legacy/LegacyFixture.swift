import HearthCrypto
import HearthTestKit
import HearthTree

@testable import HearthAccounts
@testable import HearthIdentity

extension AdminFixture {
  /// Sends a request like the last web client of version 2.x: always a GET, with status 200 for errors.
  func web(_ pathAndQuery: String, address: String = "192.0.2.1") async throws -> JSON {
    let response = await legacy("GET", pathAndQuery + "&v=js-2.4.2&transport=json&suppress_status_codes=true", address)
    guard response.status == 200, let json = JSON(parsing: response.body) else {
      throw BadJSON(text: "status \(response.status)")
    }
    return json
  }

  /// Sends any request under the namespace `shop`; returns status 0 for a path outside this interface.
  func legacy(
    _ method: String, _ pathAndQuery: String, _ address: String = "192.0.2.1", contentType: String? = nil,
    body: String = ""
  ) async -> IdentityResponse {
    let parts = pathAndQuery.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = parts.count > 1 ? PercentEncoding.pairs(parts[1].utf8) ?? [] : []
    let response = await IdentityEndpoints(directory).handle(
      IdentityRequest(
        method: method, path: "/v2/shop" + String(parts[0]), query: query, contentType: contentType,
        body: Array(body.utf8), client: accountsFixture.client(address), now: accountsFixture.now))
    // A path outside this interface belongs to the database.
    return response ?? IdentityResponse(status: 0, contentType: "", body: [])
  }

  /// Creates an account as a web client does.
  func legacyUser(_ email: String = "ann@example.com", _ password: String = "secret1") async throws -> String {
    let answer = try await web("/users?&email=\(email)&password=\(password)&_method=POST")
    guard let uid = answer["uid"]?.string else { throw BadJSON(text: "no uid") }
    return uid
  }
}

extension JSON {
  var legacyCode: String? { self["error"]?["code"]?.string }
}
