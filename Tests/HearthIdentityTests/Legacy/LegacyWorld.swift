import HearthCrypto
import HearthTestKit
import HearthTree

@testable import HearthAccounts
@testable import HearthIdentity

extension AdminWorld {
  /// A request as the last web client of the 2.x kind sends it: everything a GET, errors with status 200.
  func web(_ pathAndQuery: String, address: String = "192.0.2.1") async throws -> JSON {
    let response = await legacy("GET", pathAndQuery + "&v=js-2.4.2&transport=json&suppress_status_codes=true", address)
    guard response.status == 200, let json = JSON(parsing: response.body) else {
      throw BadJSON(text: "status \(response.status)")
    }
    return json
  }

  /// Any request under the namespace `shop`; status 0 for a path that is not of this interface.
  func legacy(
    _ method: String, _ pathAndQuery: String, _ address: String = "192.0.2.1", contentType: String? = nil,
    body: String = ""
  ) async -> IdentityResponse {
    let parts = pathAndQuery.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query = parts.count > 1 ? PercentEncoding.pairs(parts[1].utf8) ?? [] : []
    let response = await IdentityEndpoints(directory).handle(
      IdentityRequest(
        method: method, path: "/v2/shop" + String(parts[0]), query: query, contentType: contentType,
        body: Array(body.utf8), client: world.client(address), now: world.now))
    // What is none of ours is the database's.
    return response ?? IdentityResponse(status: 0, contentType: "", body: [])
  }

  /// Makes an account as a web client does.
  func legacyUser(_ email: String = "ann@example.com", _ password: String = "secret1") async throws -> String {
    let answer = try await web("/users?&email=\(email)&password=\(password)&_method=POST")
    guard let uid = answer["uid"]?.string else { throw BadJSON(text: "no uid") }
    return uid
  }
}

extension JSON {
  var legacyCode: String? { self["error"]?["code"]?.string }
}
