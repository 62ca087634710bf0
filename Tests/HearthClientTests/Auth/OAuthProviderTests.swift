import Dispatch
import Foundation
import HearthPlugin
import HearthServer
import HearthTree
import Synchronization
import Testing

@testable import HearthClient

@Suite struct OAuthProviderTests {
  /// A provider that gives each visit the code `4/code-STATE`, and whose user is named by a custom parameter.
  private final class CorpProvider: AuthorizationCodeProvider {
    let manifest = ProviderManifest(id: "oidc.corp", displayName: "Corp", methods: [.credential])
    let servesAuthorizationCodes = true
    private let state = Mutex<(name: String, scopes: [String])>(("ann", []))

    var scopes: [String] { state.withLock { $0.scopes } }

    func authorizationPage(_ request: AuthorizationRequest) async throws -> AuthorizationPage {
      let name = request.parameters.first { $0.name == "login_hint" }?.value ?? "ann"
      state.withLock { $0 = (name, request.scopes) }
      return AuthorizationPage(
        url: "https://id.corp.example/page?state=\(request.state)", issuers: ["https://id.corp.example"])
    }

    func credential(_ code: AuthorizationCode) async throws -> [String: String] {
      guard code.code.hasPrefix("4/code-") else { throw SignInRefusal(.invalidProviderResponse) }
      return ["id_token": state.withLock { $0.name }]
    }

    func answer(_ request: SignInRequest) async throws -> SignInAnswer {
      guard let name = request.parameters["id_token"] else { return .refused(SignInRefusal(.invalidCredential)) }
      return .identity(ForeignIdentity(rawID: name, email: "\(name)@corp.example", isEmailVerified: true))
    }
  }

  /// Runs `body` with a server that has the provider.
  private static func with(
    authorizedDomains: [String] = ["127.0.0.1"], _ body: (AuthFixture, CorpProvider) async throws -> Void
  ) async throws {
    let corp = CorpProvider()
    try await AuthFixture.with { options in
      options.plugins.providers.append(corp)
      options.accounts.publicURL = "http://127.0.0.1"
      options.accounts.authorizedDomains = authorizedDomains
    } _: {
      try await body($0, corp)
    }
  }

  /// Returns an opener with a user that signs in at the provider.
  private static func opener(answer: String? = nil) -> AuthURLOpener {
    AuthURLOpener { url in
      let page = try await TestBrowser().visit(url, answer: answer)
      Task { _ = try? await TestBrowser().open(try #require(page.back)) }
    }
  }

  @Test("a user signs in on the provider's page in a browser, which returns to a port of this machine")
  func signIn() async throws {
    try await Self.with { fixture, corp in
      let provider = OAuthProvider(providerID: "oidc.corp", auth: fixture.auth)
      provider.scopes = ["calendar", "mail"]
      provider.customParameters = ["login_hint": "bob"]
      let result = try await fixture.auth.signIn(with: provider, uiDelegate: Self.opener())
      #expect(result.user.email == "bob@corp.example" && corp.scopes == ["calendar", "mail"])
      #expect(result.additionalUserInfo?.providerID == "oidc.corp" && result.additionalUserInfo?.isNewUser == true)
      #expect(result.credential?.idToken == "bob" && fixture.auth.currentUser === result.user)
      let again = try await result.user.reauthenticate(with: provider, uiDelegate: Self.opener())
      #expect(again.user === result.user && again.additionalUserInfo?.isNewUser == false)
      provider.customParameters = ["login_hint": "eve"]
      #expect(
        await authCode { try await result.user.reauthenticate(with: provider, uiDelegate: Self.opener()) }
          == .userMismatch)
    }
  }

  @Test(
    "a provider's page links its user; a user of another account is not linked, and the error's credential signs in")
  func link() async throws {
    try await Self.with { fixture, _ in
      let provider = OAuthProvider.provider(providerID: .custom("oidc.corp"), auth: fixture.auth)
      let guest = try await fixture.auth.signInAnonymously().user
      try await guest.link(with: provider, uiDelegate: Self.opener())
      #expect(guest.providerData.map(\.providerID) == ["oidc.corp"] && !guest.isAnonymous)
      let other = try fixture.another()
      let second = try await other.signInAnonymously().user
      let otherProvider = OAuthProvider(providerID: "oidc.corp", auth: other)
      do {
        try await second.link(with: otherProvider, uiDelegate: Self.opener())
        Issue.record("linked")
      } catch {
        #expect(AuthErrorCode(error) == .credentialAlreadyInUse)
        let updated = (error as NSError).userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? OAuthCredential
        #expect(try await other.signIn(with: try #require(updated)).user.uid == guest.uid)
      }
    }
  }

  @Test("a credential of a page is valid once, and its description has no secret; the completion form returns one")
  func credential() async throws {
    try await Self.with { fixture, _ in
      let provider = OAuthProvider(providerID: "oidc.corp", auth: fixture.auth)
      let credential = try #require(
        await withCheckedContinuation { continuation in
          provider.getCredentialWith(Self.opener()) { credential, _ in continuation.resume(returning: credential) }
        })
      let page = try #require((credential as? OAuthCredential)?.page)
      #expect(!"\(credential)\(String(reflecting: credential))".contains(page.sessionID))
      try await fixture.auth.signIn(with: credential)
      #expect(await authCode { try await fixture.auth.signIn(with: credential) } == .invalidCredential)
      // Another program that sees the address of the return has no session for it.
      let stolen = try await provider.credential(with: Self.opener())
      let url = try #require((stolen as? OAuthCredential)?.page?.url)
      let guess = OAuthCredential(
        providerID: "oidc.corp", page: OAuthCredential.PageResult(url: url, sessionID: WebContext.randomText()))
      #expect(await authCode { try await fixture.another().signIn(with: guess) } == .invalidCredential)
    }
  }

  @Test(
    "refusals at the provider and on the server are errors",
    arguments: [
      ("oidc.corp", "error=access_denied", AuthErrorCode.webContextCancelled),
      ("oidc.corp", "error=server_error", .webInternalError),
    ])
  func refusals(provider: String, answer: String, code: AuthErrorCode) async throws {
    try await Self.with { fixture, _ in
      let provider = OAuthProvider(providerID: provider, auth: fixture.auth)
      #expect(
        await authCode { _ = try await provider.credential(with: Self.opener(answer: answer)) } == code)
      let absent = OAuthProvider(providerID: "oidc.absent", auth: fixture.auth)
      let opener = AuthURLOpener { url in
        let page = try await TestBrowser().open(url)
        Task { _ = try? await TestBrowser().open(try #require(page.back)) }
      }
      #expect(await authCode { _ = try await absent.credential(with: opener) } == .operationNotAllowed)
    }
  }

  @Test("a server that does not authorize 127.0.0.1 opens no page for a program, and an opener's error ends the wait")
  func unauthorized() async throws {
    struct Refused: Error {}
    try await Self.with(authorizedDomains: ["app.example"]) { fixture, _ in
      let provider = OAuthProvider(providerID: "oidc.corp", auth: fixture.auth)
      let opener = AuthURLOpener { url in
        let page = try await TestBrowser().open(url)
        #expect(page.status == 403 && page.back == nil && page.text.contains("127.0.0.1"))
        throw Refused()
      }
      await #expect(throws: Refused.self) { try await provider.credential(with: opener) }
    }
  }

  @Test("only the visit's own return is accepted, once; others are refused and do not end the wait")
  func wrongState() async throws {
    try await Self.with { fixture, _ in
      let provider = OAuthProvider(providerID: "oidc.corp", auth: fixture.auth)
      let returned = Mutex<URL?>(nil)
      let opener = AuthURLOpener { url in
        let page = try await TestBrowser().visit(url)
        let back = try #require(page.back)
        returned.withLock { $0 = back }
        let parts = try #require(URLComponents(url: back, resolvingAgainstBaseURL: false))
        #expect(parts.host == "127.0.0.1" && parts.scheme == "http")
        let inner = try #require(parts.queryItems?.first { $0.name == "deep_link_id" }?.value)
        for changed in [
          inner.replacing("eventId=", with: "eventId=0"), inner.replacing("signInWith", with: "linkWith"),
          inner.replacing("/__/auth/callback", with: "/other"), "", "https://a.example/__/auth/callback", ":",
        ] {
          var other = parts
          other.queryItems = [URLQueryItem(name: "deep_link_id", value: changed)]
          #expect(try await TestBrowser().open(try #require(other.url)).status == 400, "\(changed)")
        }
        #expect(try await TestBrowser().open(back, method: "POST").status == 400)
        var long = parts
        long.queryItems = [URLQueryItem(name: "deep_link_id", value: String(repeating: "a", count: 70_000))]
        let tooLong = try? await TestBrowser().open(try #require(long.url))
        #expect(tooLong?.status != 200)
        let accepted = try await TestBrowser().open(back)
        #expect(accepted.status == 200 && accepted.text.contains("close this window"))
      }
      #expect(try await fixture.auth.signIn(with: provider, uiDelegate: opener).user.email == "ann@corp.example")
      let back = try #require(returned.withLock { $0 })
      await #expect(throws: (any Error).self) { try await TestBrowser().open(back) }
    }
  }

  @Test("the end of the task ends the wait")
  func cancellation() async throws {
    try await Self.with { fixture, _ in
      let provider = OAuthProvider(providerID: "oidc.corp", auth: fixture.auth)
      let (opened, continuation) = AsyncStream<URL>.makeStream()
      let task = Task {
        await authCode { _ = try await provider.credential(with: AuthURLOpener { continuation.yield($0) }) }
      }
      for await _ in opened { break }
      task.cancel()
      #expect(await task.value == .webContextCancelled)
    }
  }

  @Test("a captcha's page returns the token with which the code is requested again")
  func captcha() async throws {
    let tokens = Mutex<[String?]>([])
    let transport = ScriptedTransport { request in
      let token = JSON(parsing: request.body)?["recaptchaToken"]?.string
      tokens.withLock { $0.append(token) }
      guard token != nil else {
        return AuthAnswer(status: 400, body: Array(#"{"error":{"message":"MISSING_APP_CREDENTIAL : show one"}}"#.utf8))
      }
      return AuthAnswer(status: 200, body: Array(#"{"sessionInfo":"s"}"#.utf8))
    }
    let auth = AuthFixture.auth(port: 1, transport: transport)
    auth.languageCode = "de"
    let opener = AuthURLOpener { url in
      let items = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems)
      func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
      #expect(value("authType") == "verifyApp" && value("hl") == "de" && url.path == "/__/auth/handler")
      let inner =
        "https://auth.example.com/__/auth/callback?authType=verifyApp&eventId=\(value("eventId"))&recaptchaToken=good"
      let port = try #require(Int(value("loopbackPort")))
      let back = "http://127.0.0.1:\(port)/?deep_link_id=" + FormEncoding.escape(inner)
      #expect(try await TestBrowser().open(try #require(URL(string: back))).status == 200)
    }
    let id = try await PhoneAuthProvider.provider(auth: auth).verifyPhoneNumber("+4915112345678", uiDelegate: opener)
    #expect(id == "s" && tokens.withLock { $0 } == [nil, "good"])
    auth.settings?.isAppVerificationDisabledForTesting = true
    #expect(
      await authCode {
        _ = try await PhoneAuthProvider.provider(auth: auth).verifyPhoneNumber("+4915112345678", uiDelegate: opener)
      } == .missingAppCredential)
  }

  @Test("pages under another host open there, and Google's own pages open no program")
  func hosts() async throws {
    struct Seen: Error {}
    let auth = AuthFixture.auth(port: 1)
    auth.customAuthDomain = "auth.example.com"
    auth.tenantID = "acme"
    let opener = AuthURLOpener { url in
      #expect(
        url.absoluteString.hasPrefix("https://auth.example.com/__/auth/handler?")
          && url.query?.contains("tid=acme") == true)
      throw Seen()
    }
    let provider = OAuthProvider(providerID: .google, auth: auth)
    await #expect(throws: Seen.self) { try await provider.credential(with: opener) }
    auth.customAuthDomain = "no domain"
    #expect(await authCode { _ = try await provider.credential(with: opener) } == .internalError)
    let options = FirebaseOptions()
    options.projectID = "shop"
    let google = Auth(app: AuthFixture.app(options), store: MemorySessionStore())
    let there = OAuthProvider(providerID: .google, auth: google)
    #expect(await authCode { _ = try await there.credential(with: opener) } == .operationNotAllowed)
  }

  @Test(
    "a page's error has the code of the API, and a printable text",
    arguments: [
      (#"{"code":"auth/user-cancelled","message":"\u001b[2Jno"}"#, AuthErrorCode.webContextCancelled),
      (#"{"code":"auth/network-request-failed"}"#, .webNetworkRequestFailed),
      (#"{"code":7,"message":[]}"#, .webSignInUserInteractionFailure), ("[", .webSignInUserInteractionFailure),
      ("", .webSignInUserInteractionFailure),
    ])
  func pageErrors(text: String, code: AuthErrorCode) async throws {
    let auth = AuthFixture.auth(port: 1)
    let opener = AuthURLOpener { url in
      let items = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems)
      func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
      let inner =
        "https://a.example/__/auth/callback?authType=signInWithRedirect&eventId=\(value("eventId"))&firebaseError="
        + FormEncoding.escape(text)
      let back = "http://127.0.0.1:\(value("loopbackPort"))/?deep_link_id=" + FormEncoding.escape(inner)
      _ = try await TestBrowser().open(try #require(URL(string: back)))
    }
    do {
      _ = try await OAuthProvider(providerID: "google.com", auth: auth).credential(with: opener)
      Issue.record("signed in")
    } catch {
      #expect(AuthErrorCode(error) == code)
      #expect(error.localizedDescription.unicodeScalars.allSatisfy { $0.value >= 32 })
    }
  }
}
