import HearthAccounts

/// This server's metadata for an identity provider: `/__/auth/saml/metadata?providerId=saml.corp`, with `tenantId` for
/// a tenant's. It contains no secret.
struct SAMLMetadataPage: Sendable {
  let endpoints: IdentityEndpoints

  func answer(_ request: IdentityRequest) async -> IdentityResponse {
    guard request.method == "GET" || request.method == "HEAD" else { return HTMLPage.methodNotAllowed.response }
    do throws(AccountError) {
      let targetAccounts = try await endpoints.targetAccounts(ofTenant: request.parameter("tenantId"))
      let urls = targetAccounts.configuration.pageOrigins.map { RedirectURI.shared(origin: $0) }
      let text = try targetAccounts.signIn.samlPages.metadata(
        of: request.parameter("providerId") ?? "", consumerURLs: urls)
      var response = IdentityResponse(contentType: "application/samlmetadata+xml", body: Array(text.utf8))
      response.isForBrowsers = true
      response.headers = [("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer")]
      return response
    } catch {
      return Self.unknown.response
    }
  }

  private static let unknown = HTMLPage(
    title: "Unknown provider",
    content: HTMLPage.paragraph(
      "The URL must name a configured SAML provider: providerId=saml.corp, and tenantId for a tenant's provider."),
    status: 404)
}

extension IdentityEndpoints {
  /// The accounts of the tenant in the query; those of the project without one.
  ///
  /// - Parameter isFromLoopback: true when the request may create an emulator tenant.
  /// - Throws: `tenantNotFound`, `projectDisabled`.
  func targetAccounts(ofTenant id: String?, isFromLoopback: Bool = false) async throws(AccountError) -> Accounts {
    guard let id, !id.isEmpty else { return accounts }
    let targetAccounts = try await directory.tenant(id, of: accounts, mayCreate: isFromLoopback)
    guard targetAccounts.settings.tenant?.isDisabled != true else { throw AccountError(.projectDisabled) }
    return targetAccounts
  }
}
