import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

/// Tests of providers that make the browser post their response, as Apple does.
@Suite struct FormPostCallbackTests {
  /// Starts a sign-in; returns the state, and the cookie of the browser.
  private func beginAuthorization(_ native: NativeAppFixture) async throws -> (state: String, cookie: String) {
    let gone = try await native.open(NativeAppFixture.signIn())
    let state = try #require(gone.headers["Location"]?.split(separator: "=").last)
    return (String(state), String(try #require(gone.headers["Set-Cookie"]?.split(separator: ";").first)))
  }

  private static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
  }

  @Test(
    "Another site's form comes without the cookie and is repeated by the server's page; then it is accepted, with the name in it"
  )
  func passedOn() async throws {
    let native = try NativeAppFixture()
    let (state, cookie) = try await beginAuthorization(native)
    let user = #"{"name":{"firstName":"Ann","lastName":"Lee"},"email":"ann@corp.example"}"#
    let fields = [("state", state), ("code", "4/code-\(state)"), ("user", user)]
    let first = try await native.open([], form: Self.form(fields + [("other", "x")]))
    #expect(first.status == 200 && first.text.contains("<form id=\"answer\" method=\"post\">"))
    #expect(first.headers["Set-Cookie"] == nil && !first.text.contains("other"))
    for (name, value) in fields { #expect(first.attribute("value", after: "name=\"\(name)\"") == value) }
    // The form was repeated once already, so this one comes from another browser.
    #expect(
      try await native.open([], form: Self.form(fields + [("hearth", "1")])).text.contains("was not started here"))
    let second = try await native.open([], cookie: cookie, form: Self.form(fields + [("hearth", "1")]))
    #expect(second.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
    let link = try #require(try NativeAppFixture.deepLink(second.back)["link"])
    let entered = try await native.redeem(link)
    #expect(entered.json["displayName"]?.string == user, "\(entered.text)")
  }

  @Test("Security 87: a form of another browser or visit, or with a duplicate part, is refused")
  func foreign() async throws {
    let native = try NativeAppFixture()
    let (state, cookie) = try await beginAuthorization(native)
    let other = try await beginAuthorization(native)
    let form = Self.form([("state", state), ("code", "4/code-\(state)"), ("hearth", "1")])
    for shown in [nil, other.cookie, "\(cookie); \(cookie)"] {
      #expect(try await native.open([], cookie: shown, form: form).text.contains("was not started here"))
    }
    #expect(try await native.open([], cookie: cookie, host: "evil.example", form: form).back == nil)
    for broken in [
      "", "code=x", form + "&code=y", form + "&state=\(state)", "%",
      "state=\(state)&" + String(repeating: "a=1&", count: 20),
    ] {
      let page = try await native.open([], cookie: cookie, form: broken)
      #expect(page.status == 400 && page.back == nil, "\(broken)")
    }
    let no = try await native.open(
      [], cookie: cookie, form: Self.form([("state", state), ("error", "user_cancelled_authorize")]))
    #expect(try NativeAppFixture.deepLink(no.back)["firebaseError"]?.contains("auth/user-cancelled") == true)
  }

  @Test("An oversized user object in the form is ignored")
  func longName() async throws {
    let native = try NativeAppFixture()
    let (state, cookie) = try await beginAuthorization(native)
    let form = Self.form(
      [("state", state), ("code", "4/code-\(state)"), ("user", String(repeating: "x", count: 1_025))])
    let page = try await native.open([], cookie: cookie, form: form)
    let link = try #require(try NativeAppFixture.deepLink(page.back)["link"])
    let entered = try await native.redeem(link)
    #expect(entered.status == 200 && entered.json["displayName"] == nil)
  }
}
