import HearthEngine
import HearthPlugin
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

/// A native app with the browser that it opens: the pages in the browser, and the URLs that open the app.
struct NativeAppFixture {
  /// A provider that gives each visit the code `4/code-STATE`.
  private struct CorpProvider: AuthorizationCodeProvider {
    let manifest = ProviderManifest(id: "oidc.corp", displayName: "Corp", methods: [.credential])
    let servesAuthorizationCodes = true

    func authorizationPage(_ request: AuthorizationRequest) async throws -> AuthorizationPage {
      AuthorizationPage(
        url: "https://id.corp.example/page?state=\(request.state)", issuers: ["https://id.corp.example"])
    }

    func credential(_ code: AuthorizationCode) async throws -> [String: String] {
      guard code.code.hasPrefix("4/code-") else { throw SignInRefusal(.invalidProviderResponse) }
      return ["id_token": "ann"]
    }

    func answer(_ request: SignInRequest) async throws -> SignInAnswer {
      guard request.parameters["id_token"] == "ann" else { return .refused(SignInRefusal(.invalidCredential)) }
      var person = ForeignIdentity(rawID: "ann", email: "ann@corp.example")
      person.displayName = request.parameters["user"]
      return .identity(person)
    }
  }

  static let session = "ABCDEFGHIJ"
  static let clientID = "123-abc.apps.googleusercontent.com"
  static let scheme = "com.googleusercontent.apps.123-abc"
  static let appID = "1:123456789:ios:123abc456def"
  static let bundleID = "com.example.shop"
  static let certificate = "00112233445566778899aabbccddeeff00112233"

  let fixture: IdentityFixture

  init(configure: (inout AccountsConfiguration) -> Void = { _ in }) throws {
    fixture = try IdentityFixture(providers: [CorpProvider(), FakeAnonymous()]) { configuration in
      var app = NativeApps.IOSApp(bundleID: Self.bundleID)
      (app.appIDs, app.clientIDs) = ([Self.appID], [Self.clientID])
      var android = NativeApps.AndroidApp(packageName: Self.bundleID)
      android.certificates = [Self.certificate]
      (configuration.nativeApps.ios, configuration.nativeApps.android) = (
        [app], [android, .init(packageName: "com.example.cordova")]
      )
      configure(&configuration)
    }
  }

  /// Returns the query with which an SDK opens the page for a provider.
  static func signIn(_ changes: [String: String?] = [:]) -> [(name: String, value: String)] {
    changed(
      [
        ("apiKey", "key"), ("authType", "signInWithRedirect"), ("ibi", bundleID),
        ("sessionId", Digest(sha256: session.utf8).hex), ("v", "FirebaseAuth.iOS/12 shop/1"), ("eventId", "QWERTYUIOP"),
        ("providerId", "oidc.corp"), ("clientId", clientID),
      ], changes)
  }

  /// Returns the query for a token of the captcha.
  static func verify(_ changes: [String: String?] = [:]) -> [(name: String, value: String)] {
    changed(
      [
        ("apiKey", "key"), ("authType", "verifyApp"), ("ibi", bundleID), ("v", "FirebaseAuth.iOS/12 shop/1"),
        ("eventId", "QWERTYUIOP"), ("appId", appID), ("hl", "de"),
      ], changes)
  }

  /// Returns the changes in a query of the Android SDK.
  static func android(_ changes: [String: String?] = [:]) -> [String: String?] {
    ["ibi": nil, "clientId": nil, "appId": nil, "apn": bundleID, "sha1Cert": certificate, "publicKey": "x", "eid": "p"]
      .merging(changes) { $1 }
  }

  private static func changed(
    _ query: [(name: String, value: String)], _ changes: [String: String?]
  ) -> [(name: String, value: String)] {
    let kept = query.compactMap { pair in
      guard let change = changes[pair.name] else { return pair }
      return change.map { (name: pair.name, value: $0) }
    }
    let names = Set(query.map(\.name))
    return kept
      + changes.sorted { $0.key < $1.key }.compactMap { pair in
        names.contains(pair.key) ? nil : pair.value.map { (name: pair.key, value: $0) }
      }
  }

  struct Page {
    var status: Int
    var text: String
    var headers: [String: String]

    /// Returns the text of an attribute.
    func attribute(_ name: String, after mark: String) -> String? {
      guard let start = text.range(of: mark), let found = text[start.upperBound...].range(of: "\(name)=\"") else {
        return nil
      }
      let escaped = text[found.upperBound...].prefix { $0 != "\"" }
      return [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&amp;", "&")].reduce(String(escaped)) {
        $0.replacing($1.0, with: $1.1)
      }
    }

    /// The URL that opens the app.
    var back: String? { attribute("href", after: "<a id=\"back\"") }
  }

  func open(
    _ query: [(name: String, value: String)], cookie: String? = nil, host: String = "auth.example.com",
    path: String = "/__/auth/handler", form: String? = nil, isFromLoopback: Bool = false
  ) async throws -> Page {
    var request = IdentityRequest(
      method: form == nil ? "GET" : "POST", host: host, path: path, query: query, body: Array((form ?? "").utf8),
      client: fixture.accountsFixture.client("192.0.2.1"), isFromLoopback: isFromLoopback,
      now: fixture.accountsFixture.now)
    request.cookie = cookie
    let response = try #require(await IdentityEndpoints(fixture.directory).handle(request))
    return Page(
      status: response.status, text: String(decoding: response.body, as: UTF8.self),
      headers: Dictionary(response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
  }

  /// Visits the provider and returns.
  func visit(_ query: [(name: String, value: String)], answer: String? = nil) async throws -> Page {
    let gone = try await open(query)
    #expect(gone.status == 303, "\(gone.text)")
    let state = try #require(gone.headers["Location"]?.split(separator: "=").last).description
    let cookie = try #require(gone.headers["Set-Cookie"]?.split(separator: ";").first).description
    let answered = answer.map { [(name: "error", value: $0)] } ?? [(name: "code", value: "4/code-\(state)")]
    return try await open([(name: "state", value: state)] + answered, cookie: cookie)
  }

  /// Sends to `signInWithIdp` the request of a native SDK.
  func redeem(
    _ link: String, session: String = session, postBody: String = "providerId=oidc.corp", _ more: JSON = [:],
    isFromLoopback: Bool = false
  ) async throws -> IdentityFixture.Answer {
    try await fixture.post(
      "/identitytoolkit/v3/relyingparty/verifyAssertion",
      .object(
        [
          .init("requestUri", .string(link)), .init("sessionId", .string(session)),
          .init("postBody", .string(postBody)), .init("returnSecureToken", true), .init("returnIdpCredential", true),
          .init("autoCreate", true),
        ] + (more.members ?? [])), host: "www.googleapis.com", isFromLoopback: isFromLoopback)
  }

  // MARK: Parsing URLs as an SDK does

  /// Splits a URL into its parameters and the part before them.
  static func parts(_ url: String) throws -> (head: String, query: [String: String]) {
    let halves = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let pairs = try #require(PercentEncoding.pairs(halves.count > 1 ? halves[1].utf8 : "".utf8[...]))
    return (String(halves[0]), Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Returns the parameters of the URL in `deep_link_id` of the URL that opens an iOS app.
  static func deepLink(_ url: String?, scheme: String = scheme) throws -> [String: String] {
    let outer = try parts(try #require(url))
    #expect(outer.head == "\(scheme)://firebaseauth/link")
    let inner = try parts(try #require(outer.query["deep_link_id"]))
    #expect(inner.head == "https://auth.example.com/__/auth/callback")
    return inner.query
  }

  /// Returns the extras of an intent.
  static func extras(_ url: String?, scheme: String) throws -> [String: String] {
    let url = try #require(url)
    let head = "intent://firebase.auth/#Intent;"
    #expect(url.hasPrefix(head) && url.hasSuffix(";end"))
    var extras: [String: String] = [:]
    for piece in url.dropFirst(head.count).dropLast(4).split(separator: ";") {
      let halves = piece.split(separator: "=", maxSplits: 1)
      let value: String = try #require(PercentEncoding.decode(halves[1].utf8))
      extras[String(halves[0])] = value
    }
    #expect(extras["scheme"] == scheme && extras["package"] == bundleID && extras["B.encryptionEnabled"] == "false")
    return extras
  }
}
