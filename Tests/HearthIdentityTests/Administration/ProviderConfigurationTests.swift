import HearthPlugin
import HearthTree
import SAMLTestKit
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

/// Tests of providers that administrators configure on a running server, over the interface of admin SDKs.
@Suite struct ProviderConfigurationTests {
  static let administrator = IdentityRequest.Bearer.administrator("op")

  /// A factory of providers that accept the token `good`, with a record of their configurations.
  final class FakeIssuers: IssuerProviders {
    let made = Mutex<[ConfiguredIssuer]>([])

    func provider(of issuer: ConfiguredIssuer) -> any SignInProvider {
      made.withLock { $0.append(issuer) }
      return Provider(manifest: ProviderManifest(id: issuer.id, displayName: "x", methods: [.credential]))
    }

    private struct Provider: SignInProvider {
      let manifest: ProviderManifest
      func answer(_ request: SignInRequest) async throws -> SignInAnswer {
        request.parameters["id_token"] == "good"
          ? .identity(ForeignIdentity(rawID: "ann")) : .refused(SignInRefusal(.invalidProviderResponse))
      }
    }
  }

  static func saml(_ provider: TestIdentityProvider = .shared) -> JSON {
    [
      "displayName": "Corp", "enabled": true,
      "idpConfig": [
        "idpEntityId": .string(provider.id), "ssoUrl": "https://idp.example.com/sso",
        "idpCertificates": [["x509Certificate": .string(provider.certificate)]],
      ],
      "spConfig": [
        "spEntityId": "https://sp.example.com", "callbackUri": "https://auth.example.com/__/auth/handler",
      ],
    ]
  }

  static let issuer: JSON = [
    "displayName": "Corp", "enabled": true, "clientId": "app", "issuer": "https://id.example.com",
    "clientSecret": "hush", "responseType": ["code": true],
  ]

  static func ask(
    _ fixture: IdentityFixture, _ method: String, _ path: String, _ body: JSON = [:],
    query: [(name: String, value: String)] = [], authority: IdentityRequest.Bearer = administrator
  ) async throws -> IdentityFixture.Answer {
    try await fixture.send(
      "/v2/projects/demo-test/" + path, method == "GET" ? [] : body.text(), method: method, query: query,
      authority: authority)
  }

  static func make(
    _ fixture: IdentityFixture, _ id: String, _ body: JSON, in tenant: String? = nil
  ) async throws -> IdentityFixture.Answer {
    let isSAML = id.hasPrefix("saml")
    return try await ask(
      fixture, "POST", (tenant.map { "tenants/\($0)/" } ?? "") + (isSAML ? "inboundSamlConfigs" : "oauthIdpConfigs"),
      body,
      query: [(isSAML ? "inboundSamlConfigId" : "oauthIdpConfigId", id)])
  }

  static func tenant(_ fixture: IdentityFixture) async throws -> String {
    let made = try await ask(fixture, "POST", "tenants", ["displayName": "acme"])
    return String(try #require(made.json["name"]?.string?.split(separator: "/").last))
  }

  @Test(
    "a provider is created, read, listed, changed by a mask and deleted; project and tenant do not share it"
  )
  func administration() async throws {
    let fixture = try IdentityFixture()
    let tenant = try await Self.tenant(fixture)
    for (place, id, body) in [
      ("oauthIdpConfigs", "oidc.corp", Self.issuer), ("inboundSamlConfigs", "saml.corp", Self.saml()),
    ] {
      for scope in ["", "tenants/\(tenant)/"] {
        let made = try await Self.make(fixture, id, body, in: scope.isEmpty ? nil : tenant)
        #expect(made.status == 200, "\(made.text)")
        #expect(made.json["name"]?.string == "projects/demo-test/\(scope)\(place)/\(id)")
        let read = try await Self.ask(fixture, "GET", "\(scope)\(place)/\(id)")
        #expect(read.json == made.json)
        #expect(
          try await Self.make(fixture, id, body, in: scope.isEmpty ? nil : tenant).error?.hasPrefix(
            "CONFIGURATION_EXISTS") == true)
        let list = try await Self.ask(fixture, "GET", scope + place)
        #expect(list.json[place]?.array == [made.json] && list.json["nextPageToken"] == nil)
        let changed = try await Self.ask(
          fixture, "PATCH", "\(scope)\(place)/\(id)", ["displayName": .null, "enabled": false],
          query: [("updateMask", "displayName,enabled")])
        #expect(changed.json["displayName"] == nil && changed.json["enabled"] == false)
        #expect(changed.json["issuer"] == made.json["issuer"] && changed.json["idpConfig"] == made.json["idpConfig"])
      }
      #expect(try await Self.ask(fixture, "DELETE", "\(place)/\(id)").status == 200)
      let gone = try await Self.ask(fixture, "GET", "\(place)/\(id)")
      #expect(gone.error?.hasPrefix("CONFIGURATION_NOT_FOUND") == true)
      #expect(try await Self.ask(fixture, "GET", "tenants/\(tenant)/\(place)/\(id)").status == 200)
    }
    #expect(
      fixture.accounts.store.view.auditTail(limit: 100).contains {
        String(decoding: $0.line, as: UTF8.self).contains("provider oidc.corp made")
      })
  }

  @Test("nested members are changed one by one, and lists as a whole")
  func masks() async throws {
    let fixture = try IdentityFixture()
    _ = try await Self.make(fixture, "saml.corp", Self.saml())
    let certificates: JSON = [["x509Certificate": .string(TestIdentityProvider.untrusted.certificateBody)]]
    let changed = try await Self.ask(
      fixture, "PATCH", "inboundSamlConfigs/saml.corp",
      ["idpConfig": ["idpCertificates": certificates, "ssoUrl": "https://new.example.com/"]],
      query: [("updateMask", "idpConfig.idpCertificates,idpConfig.ssoUrl")])
    #expect(changed.json["idpConfig"]?["idpCertificates"] == certificates)
    #expect(changed.json["idpConfig"]?["idpEntityId"]?.string == TestIdentityProvider.shared.id)
    _ = try await Self.make(fixture, "oidc.corp", Self.issuer)
    let types = try await Self.ask(
      fixture, "PATCH", "oauthIdpConfigs/oidc.corp", ["responseType": ["idToken": true, "code": false]],
      query: [("updateMask", "responseType.code,responseType.idToken")])
    #expect(types.json["responseType"] == ["idToken": true] && types.json["clientSecret"] == "hush")
  }

  @Test("a list is returned in pages")
  func pages() async throws {
    let fixture = try IdentityFixture()
    for number in 1...5 { _ = try await Self.make(fixture, "oidc.p\(number)", Self.issuer) }
    _ = try await Self.make(fixture, "saml.corp", Self.saml())
    var (found, token): ([String], String?) = ([], nil)
    repeat {
      let query = [(name: "pageSize", value: "2")] + (token.map { [(name: "pageToken", value: $0)] } ?? [])
      let page = try await Self.ask(fixture, "GET", "oauthIdpConfigs", query: query)
      found += (page.json["oauthIdpConfigs"]?.array ?? []).compactMap { $0["name"]?.string }
      token = page.json["nextPageToken"]?.string
    } while token != nil
    #expect(found == (1...5).map { "projects/demo-test/oauthIdpConfigs/oidc.p\($0)" })
  }

  @Test("invalid configurations are refused with the codes that SDKs know, and only administrators manage them")
  func refusals() async throws {
    let fixture = try IdentityFixture()
    func refusal(_ id: String, _ body: JSON) async throws -> String? { try await Self.make(fixture, id, body).error }
    func with(_ json: JSON, _ name: String, _ value: JSON) -> JSON {
      .object((json.members ?? []).filter { $0.name != name } + [JSON.Member(name, value)])
    }
    #expect(try await refusal("", Self.issuer) == "MISSING_CONFIG_ID")
    for id in ["oidc.", "corp", "oidc.Corp", "oidc.a b", "oidc." + String(repeating: "a", count: 65)] {
      #expect(try await refusal(id, Self.issuer)?.hasPrefix("INVALID_CONFIG_ID") == true, "\(id)")
    }
    #expect(try await refusal("oidc.a", with(Self.issuer, "clientId", "")) == "MISSING_OAUTH_CLIENT_ID")
    #expect(try await refusal("oidc.a", with(Self.issuer, "issuer", .null)) == "MISSING_ISSUER")
    #expect(try await refusal("oidc.a", with(Self.issuer, "clientSecret", .null)) == "MISSING_OAUTH_CLIENT_SECRET")
    for issuer in ["id.example.com", "ftp://id.example.com", "https://id.example.com/?x", "https://a@b/"] {
      #expect(
        try await refusal("oidc.a", with(Self.issuer, "issuer", .string(issuer)))?.hasPrefix("INVALID_CONFIG") == true)
    }
    for (name, value) in [
      ("idpConfig", JSON.object([])), ("spConfig", .null), ("emailDomains", ["not a domain"]),
      ("clockSkewSeconds", 301),
    ] {
      #expect(
        try await refusal("saml.a", with(Self.saml(), name, value))?.hasPrefix("INVALID_CONFIG") == true, "\(name)")
    }
    let weird = with(
      Self.saml(), "idpConfig", with(Self.saml()["idpConfig"] ?? .null, "idpCertificates", [["x509Certificate": "x"]]))
    #expect(try await refusal("saml.a", weird)?.contains("idpCertificates[0]") == true)
    for authority in [IdentityRequest.Bearer.none, .refused] {
      let answer = try await Self.ask(fixture, "GET", "oauthIdpConfigs", authority: authority)
      #expect(answer.status == 401)
    }
  }

  @Test("a client secret is stored sealed, and can be opened only for its own provider and tenant")
  func secrets() async throws {
    let issuers = FakeIssuers()
    let fixture = try IdentityFixture(issuers: issuers)
    let tenant = try await Self.tenant(fixture)
    _ = try await Self.make(fixture, "oidc.corp", Self.issuer)
    _ = try await Self.make(fixture, "oidc.corp", Self.issuer, in: tenant)
    let stored = try #require(fixture.accounts.store.view.providerConfiguration("oidc.corp")?.oidc?.sealedSecret)
    #expect(!stored.contains("hush"))
    #expect(fixture.accounts.keys.clientSecret(stored, of: "oidc.corp") == "hush")
    #expect(fixture.accounts.keys.clientSecret(stored, of: "oidc.other") == nil)
    let home = try await fixture.directory.tenant(tenant, of: fixture.accounts, mayCreate: false)
    #expect(home.keys.clientSecret(stored, of: "oidc.corp") == nil)
    let said = fixture.accounts.store.view.auditTail(limit: 100).map { String(decoding: $0.line, as: UTF8.self) }
      .joined()
    #expect(!said.contains("hush"))
    #expect(fixture.accounts.signIn.providers.servesCredential(of: "oidc.corp"))
    let made = issuers.made.withLock { $0 }
    #expect(made.map(\.clientSecret) == ["hush"] && "\(made)".contains("hush") == false)
  }

  @Test(
    "users sign in by a configured issuer, from the next request on, until it is disabled; only in its project or tenant"
  )
  func live() async throws {
    let issuers = FakeIssuers()
    let fixture = try IdentityFixture(issuers: issuers)
    let tenant = try await Self.tenant(fixture)
    func signIn(_ token: String, in tenant: String? = nil) async throws -> IdentityFixture.Answer {
      try await fixture.post(
        "accounts:signInWithIdp",
        [
          "requestUri": "http://localhost", "returnSecureToken": true, "tenantId": tenant.map { .string($0) } ?? .null,
          "postBody": .string("providerId=oidc.corp&id_token=\(token)"),
        ])
    }
    #expect(try await signIn("good").error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    _ = try await Self.make(fixture, "oidc.corp", Self.issuer, in: tenant)
    #expect(try await signIn("good").error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    let entered = try await signIn("good", in: tenant)
    #expect(entered.status == 200, "\(entered.text)")
    #expect(try await signIn("bad", in: tenant).error?.hasPrefix("INVALID_IDP_RESPONSE") == true)
    _ = try await signIn("good", in: tenant)
    #expect(issuers.made.withLock { $0.count } == 1, "it is made once")
    let place = "tenants/\(tenant)/oauthIdpConfigs/oidc.corp"
    _ = try await Self.ask(fixture, "PATCH", place, ["enabled": false], query: [("updateMask", "enabled")])
    #expect(try await signIn("good", in: tenant).error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    _ = try await Self.ask(fixture, "PATCH", place, ["enabled": true, "clientId": "other"])
    #expect(try await signIn("good", in: tenant).status == 200)
    #expect(issuers.made.withLock { $0.last?.clientID } == "other")
  }

  @Test("a SAML provider is created from its metadata, and updated by newer metadata")
  func metadata() async throws {
    let fixture = try IdentityFixture()
    func metadata(_ provider: TestIdentityProvider) -> JSON {
      .string(
        """
        <EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="\(provider.id)"><IDPSSODescriptor>
        <KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>
        \(provider.certificateBody)</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleSignOnService
        Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.com/sso"/>
        </IDPSSODescriptor></EntityDescriptor>
        """)
    }
    func read(_ body: JSON) async throws -> IdentityFixture.Answer {
      try await fixture.post("/hearth/v1/providers:importSAML", body, authority: Self.administrator)
    }
    let lacking = try await read(["providerId": "saml.corp", "metadata": metadata(.shared)])
    #expect(lacking.error?.contains("spEntityId is missing") == true)
    let made = try await read([
      "providerId": "saml.corp", "metadata": metadata(.shared), "spEntityId": "https://sp.example.com",
    ])
    #expect(
      made.json["enabled"] == true && made.json["idpConfig"]?["ssoUrl"] == "https://idp.example.com/sso", "\(made.text)"
    )
    let renewed = try await read(["providerId": "saml.corp", "metadata": metadata(.untrusted)])
    #expect(renewed.json["spConfig"]?["spEntityId"] == "https://sp.example.com")
    #expect(renewed.json["idpConfig"]?["idpCertificates"] != made.json["idpConfig"]?["idpCertificates"])
    #expect(
      try await read(["providerId": "saml.corp", "metadata": "<!DOCTYPE x>"]).error?.contains("document type") == true)
  }
}
