import HearthAccounts
import HearthSAML
import HearthTree

/// The providers of a project or tenant that are configured while the server runs, for admin SDKs and deployment tools:
/// Identity Platform's `oauthIdpConfigs` and `inboundSamlConfigs`.
struct ProviderEndpoints: EndpointGroup {
  /// The accounts of the project or tenant.
  let accounts: Accounts

  private static let pageMax: Int64 = 100
  private static let pageDefault: Int64 = 20

  // MARK: One

  /// `POST …/oauthIdpConfigs?oauthIdpConfigId=oidc.corp`: creates an issuer.
  func createIssuer(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try await create(call, ProviderConfiguration.oidcPrefix)
  }

  /// `POST …/inboundSamlConfigs?inboundSamlConfigId=saml.corp`: creates a SAML provider.
  func createSAML(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try await create(call, ProviderConfiguration.samlPrefix)
  }

  private func create(_ call: IdentityCall, _ prefix: String) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let id = call.configurationID, !id.isEmpty else { throw AccountError(.missingConfigID) }
    guard ProviderConfiguration.isID(id, prefix: prefix) else {
      throw AccountError(
        .invalidConfigID, "An id must be \(prefix) and up to 64 lower-case letters, digits, dots and hyphens.")
    }
    let configuration = try read(call.body, id: id, call)
    try await accounts.administration.providers.create(configuration, by: administrator)
    return json(configuration)
  }

  /// `GET …/oauthIdpConfigs/oidc.corp`: returns a provider.
  func get(_ call: IdentityCall) async throws(AccountError) -> JSON {
    return json(try found(call))
  }

  /// `PATCH …/oauthIdpConfigs/oidc.corp?updateMask=displayName,responseType.code`: replaces the members of the mask by
  /// those of the body, and removes absent ones; without a mask, replaces the members of the body.
  func change(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    let seen = try found(call)
    let names =
      call.updateMask.map { $0.split(separator: ",").map(String.init) }
      ?? (call.body.members ?? []).map(\.name).filter { $0 != "name" }
    var wanted = json(seen, withAllTypes: true)
    for name in names {
      let path = name.split(separator: ".", omittingEmptySubsequences: false).map(Self.camelCase)
      guard path.count <= 4 else {
        throw AccountError(.invalidArgument, "updateMask names the unknown field \(name)")
      }
      wanted = Self.replacing(wanted, path[...], with: Self.value(call.body, path[...]))
    }
    let configuration = try read(wanted, id: seen.id, call)
    try await accounts.administration.providers.replace(seen, with: configuration, by: administrator)
    return json(configuration)
  }

  /// `DELETE …/oauthIdpConfigs/oidc.corp`: deletes a provider.
  func delete(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    try await accounts.administration.providers.delete(try found(call).id, by: administrator)
    return .object([])
  }

  private func found(_ call: IdentityCall) throws(AccountError) -> ProviderConfiguration {
    try accounts.administration.providers.configuration(call.configurationID ?? "")
  }

  // MARK: Several

  /// `GET …/oauthIdpConfigs?pageSize=&pageToken=`: lists issuers in the order of their ids.
  func listIssuers(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try list(call, "oauthIdpConfigs", ProviderConfiguration.oidcPrefix)
  }

  /// `GET …/inboundSamlConfigs?pageSize=&pageToken=`: lists SAML providers in the order of their ids.
  func listSAML(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try list(call, "inboundSamlConfigs", ProviderConfiguration.samlPrefix)
  }

  private func list(_ call: IdentityCall, _ name: String, _ prefix: String) throws(AccountError) -> JSON {
    let size = try call.int("pageSize") ?? Self.pageDefault
    guard (1...Self.pageMax).contains(size) else {
      throw AccountError(.invalidPageSelection, "pageSize must be 1 to \(Self.pageMax).")
    }
    let token = try call.text("pageToken").flatMap { $0.isEmpty ? nil : $0 }
    let page = accounts.administration.providers.page(prefix: prefix, after: token, limit: Int(size) + 1)
    var reply = ReplyObject()
    reply.set(name, list: page.prefix(Int(size)).map { json($0) })
    if page.count > Int(size) { reply.set("nextPageToken", page[Int(size) - 1].id) }
    return reply.json
  }

  /// `GET …/defaultSupportedIdpConfigs`: lists the providers of the server's settings, which are changed there.
  func listDefault(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let parent = Self.parentName(of: accounts)
    var reply = ReplyObject()
    reply.set(
      "defaultSupportedIdpConfigs",
      list: accounts.signIn.providers.ids.filter {
        accounts.signIn.providers.servesCredential(of: $0) && $0.hasSuffix(".com")
      }.map {
        .object([
          .init("name", .string("\(parent)/defaultSupportedIdpConfigs/\($0)")), .init("enabled", .bool(true)),
        ])
      })
    return reply.json
  }

  // MARK: Metadata

  /// `POST hearth/v1/providers:importSAML`: creates or updates a SAML provider from its metadata. `providerId`,
  /// `metadata`; `spEntityId` for a new one; `entityId` when the metadata has several entities.
  func importMetadata(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    guard let id = try call.text("providerId"), ProviderConfiguration.isID(id, prefix: ProviderConfiguration.samlPrefix)
    else {
      throw AccountError(
        .invalidConfigID, "providerId must be saml. and up to 64 lower-case letters, digits, dots and hyphens.")
    }
    let text = try call.text("metadata", sizeBytesMax: SAMLLimits.metadataBytesMax) ?? ""
    let metadata: IdentityProviderMetadata
    do throws(SAMLRefusal) {
      metadata = try IdentityProviderMetadata(Array(text.utf8), id: try? call.text("entityId"))
    } catch {
      throw AccountError(.invalidConfig, error.reason)
    }
    let seen = try? accounts.administration.providers.configuration(id)
    guard let serviceProviderID = try call.text("spEntityId") ?? seen?.saml?.serviceProviderID else {
      throw AccountError(.invalidConfig, "spEntityId is missing: the id of this server at the identity provider.")
    }
    var saml =
      seen?.saml
      ?? ProviderConfiguration.SAML(
        identityProviderID: "", signOnURL: "", certificates: [], serviceProviderID: serviceProviderID)
    saml.identityProviderID = metadata.identityProviderID
    saml.signOnURL = metadata.signOnURL
    saml.certificates = metadata.certificates
    saml.serviceProviderID = serviceProviderID
    var configuration = seen ?? ProviderConfiguration(id: id, .saml(saml))
    configuration.kind = .saml(saml)
    configuration.displayName = try call.text("displayName") ?? configuration.displayName
    configuration.isEnabled = try call.bool("enabled") ?? (seen?.isEnabled ?? true)
    let checked = try read(json(configuration), id: id, call)
    if let seen {
      try await accounts.administration.providers.replace(seen, with: checked, by: administrator)
    } else {
      try await accounts.administration.providers.create(checked, by: administrator)
    }
    return json(checked)
  }
}

// MARK: As JSON

extension ProviderEndpoints {
  private static func parentName(of accounts: Accounts) -> String {
    "projects/\(accounts.configuration.projectID)" + (accounts.tenantID.map { "/tenants/\($0)" } ?? "")
  }

  /// - Parameter withAllTypes: true to include response types that are off; clients get only the others.
  private func json(_ configuration: ProviderConfiguration, withAllTypes: Bool = false) -> JSON {
    var reply = ReplyObject()
    let kind = configuration.saml == nil ? "oauthIdpConfigs" : "inboundSamlConfigs"
    reply.set("name", "\(Self.parentName(of: accounts))/\(kind)/\(configuration.id)")
    reply.set("displayName", configuration.displayName)
    reply.set("enabled", configuration.isEnabled)
    switch configuration.kind {
    case .oidc(let oidc):
      reply.set("clientId", oidc.clientID)
      reply.set("issuer", oidc.issuer)
      reply.set("clientSecret", accounts.administration.providers.clientSecret(of: configuration))
      let types = [("idToken", oidc.takesIDTokens), ("code", oidc.takesCodes)].filter { withAllTypes || $0.1 }
      reply.set("responseType", .object(types.map { .init($0.0, .bool($0.1)) }))
      if oidc.usesSharedRedirectURI { reply.set("usesSharedRedirectUri", true) }
      if oidc.takesCodes {
        let addresses = accounts.administration.providers.redirectURIs(
          of: configuration, origins: accounts.configuration.pageOrigins)
        reply.set("redirectUris", list: addresses.map { .string($0) })
      }
    case .saml(let saml):
      reply.set(
        "idpConfig",
        .object([
          .init("idpEntityId", .string(saml.identityProviderID)), .init("ssoUrl", .string(saml.signOnURL)),
          .init("signRequest", .bool(saml.signsRequests)),
          .init(
            "idpCertificates",
            .array(saml.certificates.map { .object([.init("x509Certificate", .string($0))]) })),
        ]))
      var own = [JSON.Member("spEntityId", .string(saml.serviceProviderID))]
      if let url = saml.callbackURL { own.append(.init("callbackUri", .string(url))) }
      reply.set("spConfig", .object(own))
      if saml.allowsSHA1 { reply.set("allowSha1Signatures", true) }
      if let seconds = saml.skewSeconds { reply.set("clockSkewSeconds", .int(seconds)) }
    }
    reply.set("emailDomains", list: configuration.emailDomains.map { .string($0) })
    return reply.json
  }

  /// Reads an administrator's configuration.
  private func read(_ body: JSON, id: String, _ call: IdentityCall) throws(AccountError) -> ProviderConfiguration {
    let call = call.with(body)
    let isSAML = id.utf8.starts(with: ProviderConfiguration.samlPrefix.utf8)
    let kind: ProviderConfiguration.Kind = isSAML ? .saml(try Self.saml(call)) : .oidc(try oidc(call, id: id))
    var configuration = ProviderConfiguration(id: id, kind)
    configuration.displayName = try call.text("displayName")
    guard configuration.displayName?.count ?? 0 <= ProviderConfiguration.displayNameLengthMax else {
      throw AccountError(
        .invalidConfig, "displayName must have at most \(ProviderConfiguration.displayNameLengthMax) characters.")
    }
    configuration.isEnabled = try call.bool("enabled") ?? false
    configuration.emailDomains = (try call.texts("emailDomains") ?? []).map { $0.lowercased() }
    guard configuration.emailDomains.count <= ProviderConfiguration.emailDomainsMax,
      configuration.emailDomains.allSatisfy({ $0 == "*" || ContinueURL("https://" + $0)?.host == $0 })
    else { throw AccountError(.invalidConfig, "emailDomains must be a list of domains, or [\"*\"] for every address.") }
    return configuration
  }

  private func oidc(_ call: IdentityCall, id: String) throws(AccountError) -> ProviderConfiguration.OIDC {
    guard let clientID = try call.text("clientId"), !clientID.isEmpty else { throw AccountError(.missingClientID) }
    guard let issuer = try call.text("issuer"), !issuer.isEmpty else { throw AccountError(.missingIssuer) }
    guard Self.isAddress(issuer), !issuer.contains("?"), !issuer.contains("#") else {
      throw AccountError(
        .invalidConfig, "issuer must be a URL without query, exactly as in iss of the provider's tokens.")
    }
    let types = call.with(try call.object("responseType") ?? .object([]))
    var oidc = ProviderConfiguration.OIDC(issuer: issuer, clientID: clientID)
    oidc.takesCodes = try types.bool("code") ?? false
    oidc.takesIDTokens = try types.bool("idToken") ?? !oidc.takesCodes
    oidc.usesSharedRedirectURI = try call.bool("usesSharedRedirectUri") ?? false
    guard oidc.takesCodes || oidc.takesIDTokens else {
      throw AccountError(.invalidConfig, "responseType needs code or idToken.")
    }
    guard try types.bool("token") != true else {
      throw AccountError(
        .invalidConfig, "responseType.token is not supported: an access token does not name its audience.")
    }
    if let secret = try call.text("clientSecret"), !secret.isEmpty {
      oidc.sealedSecret = try accounts.administration.providers.sealed(clientSecret: secret, of: id)
    } else if oidc.takesCodes {
      throw AccountError(.missingClientSecret)
    }
    return oidc
  }

  private static func saml(_ call: IdentityCall) throws(AccountError) -> ProviderConfiguration.SAML {
    guard let theirs = try call.object("idpConfig"), let ours = try call.object("spConfig") else {
      throw AccountError(.invalidConfig, "idpConfig and spConfig are required.")
    }
    let (idp, sp) = (call.with(theirs), call.with(ours))
    guard let identityProviderID = try name("idpEntityId", in: idp), let signOnURL = try idp.text("ssoUrl"),
      isAddress(signOnURL), !signOnURL.contains("#")
    else { throw AccountError(.invalidConfig, "idpConfig needs idpEntityId, and ssoUrl, an http or https URL.") }
    var certificates: [String] = []
    for element in theirs["idpCertificates"]?.array ?? [] {
      guard let text = element["x509Certificate"]?.string, SAMLCertificate.pem(text) != nil else {
        throw AccountError(
          .invalidConfig, "idpCertificates[\(certificates.count)].x509Certificate must be a PEM certificate.")
      }
      certificates.append(text)
    }
    guard (1...SAMLLimits.certificatesMax).contains(certificates.count) else {
      throw AccountError(.invalidConfig, "idpCertificates must have 1 to \(SAMLLimits.certificatesMax) certificates.")
    }
    guard let serviceProviderID = try name("spEntityId", in: sp) else {
      throw AccountError(.invalidConfig, "spConfig needs spEntityId.")
    }
    let callback = try sp.text("callbackUri").flatMap { $0.isEmpty ? nil : $0 }
    guard callback.map(isAddress) ?? true else { throw AccountError(.invalidConfig, "callbackUri must be a URL.") }
    var saml = ProviderConfiguration.SAML(
      identityProviderID: identityProviderID, signOnURL: signOnURL, certificates: certificates,
      serviceProviderID: serviceProviderID, callbackURL: callback)
    saml.signsRequests = try idp.bool("signRequest") ?? false
    saml.allowsSHA1 = try call.bool("allowSha1Signatures") ?? false
    saml.skewSeconds = try call.int("clockSkewSeconds")
    guard (0...SAMLLimits.skewSecondsMax).contains(saml.skewSeconds ?? 0) else {
      throw AccountError(.invalidConfig, "clockSkewSeconds must be 0 to \(SAMLLimits.skewSecondsMax).")
    }
    return saml
  }

  private static func name(_ name: String, in call: IdentityCall) throws(AccountError) -> String? {
    try call.text(name).flatMap { (1...ProviderConfiguration.addressBytesMax).contains($0.utf8.count) ? $0 : nil }
  }

  private static func isAddress(_ text: String) -> Bool {
    ContinueURL(text).map { ["https", "http"].contains($0.scheme) } ?? false
  }

  // MARK: Masks

  private static func value(_ json: JSON, _ path: ArraySlice<String>) -> JSON? {
    guard let name = path.first else { return json == .null ? nil : json }
    return (json[name] ?? json[IdentityCall.snakeCase(name)]).flatMap { value($0, path.dropFirst()) }
  }

  private static func replacing(_ json: JSON, _ path: ArraySlice<String>, with value: JSON?) -> JSON {
    guard let name = path.first else { return value ?? .null }
    var members = json.members ?? []
    let old = members.first { $0.name == name }?.value ?? .object([])
    members.removeAll { $0.name == name }
    let rest = path.dropFirst()
    if !rest.isEmpty || value != nil { members.append(JSON.Member(name, replacing(old, rest, with: value))) }
    return .object(members)
  }

  private static func camelCase(_ name: Substring) -> String {
    name.split(separator: "_").enumerated().map { index, word in
      index == 0 ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
  }
}
