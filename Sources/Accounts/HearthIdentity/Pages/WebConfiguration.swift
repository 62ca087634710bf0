import HearthAccounts
import HearthTree

/// The project configuration that hosted web apps read at `/__/firebase/init.json`. All of it is public, and from the
/// configuration only.
struct WebConfiguration: Sendable {
  let endpoints: IdentityEndpoints

  func answer(_ request: IdentityRequest) -> IdentityResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      return IdentityResponse(status: 405, body: Array("{}".utf8))
    }
    let settings = endpoints.accounts.configuration
    let origin = settings.publicURL
    var response = IdentityResponse(
      .object([
        .init("projectId", .string(settings.projectID)),
        .init("apiKey", .string(settings.apiKeys?.min() ?? settings.projectID)),
        .init("authDomain", .string(origin.split(separator: "/").last.map(String.init) ?? "")),
        .init("databaseURL", .string("\(origin)/?ns=\(endpoints.defaultNamespace)")),
      ]))
    response.cacheControl = "public, max-age=300"
    return response
  }
}
