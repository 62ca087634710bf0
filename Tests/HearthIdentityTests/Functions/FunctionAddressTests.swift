import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

/// Tests of the URLs of blocking functions.
extension BlockingFunctionTests {
  @Test(
    "Security 90: private addresses of functions need the configuration, a stored permission, or the function's own"
  )
  func privateAddresses() async throws {
    let text = #"{"triggers":{"beforeCreate":{"functionUri":"http://10.0.0.1/"}}}"#
    let settings = try #require(JSON(parsing: text.utf8))
    func allowed(_ settings: JSON) async throws -> Bool? {
      #expect(try await Self.set(settings, in: fixture).status == 200)
      functions.forget()
      _ = try await fixture.signUp("\(functions.asked.count)\(settings.text().count)@b.example")
      return functions.asked.first?.allowsPrivate
    }
    #expect(try await allowed(settings) == false)
    #expect(
      try await allowed(["triggers": ["beforeCreate": ["functionUri": "http://10.0.0.1/", "allowsPrivate": true]]])
        == true)
    let kept = try #require(fixture.accounts.store.view.blockingFunctions)
    #expect(kept.json["triggers"]?["beforeCreate"]?["allowsPrivate"] == true)
    // A changed part leaves the others unchanged.
    _ = try await Self.set(
      ["forwardInboundCredentials": ["idToken": true]], in: fixture,
      mask: "blockingFunctions.forwardInboundCredentials.idToken")
    #expect(fixture.accounts.store.view.blockingFunctions?.beforeCreate?.allowsPrivate == true)
    #expect(try BlockingFunctionSettings(json: settings, namingAllowsPrivate: true).beforeCreate?.allowsPrivate == true)
    for stated in [true, false] {
      var functions = BlockingFunctionSettings()
      functions.beforeCreate = .init(url: "http://10.0.0.1/")
      functions.beforeCreate?.allowsPrivate = stated
      #expect(try BlockingFunctionSettings(json: functions.stored, namingAllowsPrivate: true) == functions)
    }
    let wrong = try await Self.set(
      ["triggers": ["beforeCreate": ["functionUri": "http://h/", "allowsPrivate": "yes"]]], in: fixture)
    #expect(wrong.error == "INVALID_BLOCKING_FUNCTION : allowsPrivate must be true or false")
  }
}
