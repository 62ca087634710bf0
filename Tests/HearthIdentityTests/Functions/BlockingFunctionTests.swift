import HearthEngine
import HearthPlugin
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

@Suite("Blocking functions")
struct BlockingFunctionTests {
  private static let path = "/identitytoolkit.googleapis.com/v2/projects/demo-test/config"
  private static let create = "http://127.0.0.1:8081/bcreate"
  private static let signIn = "http://127.0.0.1:8082/bsignin"

  let functions = FakeFunctions()
  let fixture: IdentityFixture

  init() async throws {
    fixture = try IdentityFixture(functions: functions)
    let answer = try await Self.set(
      [
        "triggers": [
          "beforeCreate": ["functionUri": .string(Self.create)], "beforeSignIn": ["functionUri": .string(Self.signIn)],
        ],
        "forwardInboundCredentials": ["idToken": true, "accessToken": false],
      ], in: fixture)
    #expect(answer.status == 200)
  }

  static func set(
    _ settings: JSON, in fixture: IdentityFixture, mask: String = "blockingFunctions",
    authority: IdentityRequest.Bearer = .administrator("ci")
  ) async throws -> IdentityFixture.Answer {
    try await fixture.send(
      path, JSON.object([.init("blockingFunctions", settings)]).text(), method: "PATCH",
      query: [("updateMask", mask)], authority: authority)
  }

  @Test("A request has the claims that the function SDKs read, in a token that is no ID token")
  func claims() async throws {
    let answer = try await fixture.signUp("a@b.example")
    #expect(answer.status == 200)
    #expect(functions.events == ["beforeCreate", "beforeSignIn"])
    let (url, _, token) = try #require(functions.asked.first)
    #expect(url == Self.create)
    #expect(token.header["alg"] == .string("RS256") && token.header["typ"] == .string("JWT"))
    #expect(token.header["kid"]?.string == fixture.accounts.keys.list(.idToken).first { $0.state == .signing }?.kid)
    let claims = token.payload
    let names = [
      "iss", "aud", "iat", "exp", "sub", "event_id", "event_type", "ip_address", "user_agent", "sign_in_method",
      "user_record",
    ]
    #expect(claims.members?.map(\.name) == names)
    #expect(claims["iss"] == .string("https://securetoken.google.com/demo-test"))
    #expect(claims["aud"] == .string("http://127.0.0.1:8081/bcreate#demo-test.cloudfunctions.net/run.app"))
    #expect(claims["iat"] == .int(fixture.nowSeconds - 10) && claims["exp"] == .int(fixture.nowSeconds + 60))
    #expect(claims["sub"] == .string(answer.localID) && claims["event_type"] == .string("beforeCreate"))
    #expect(claims["ip_address"] == .string("192.0.2.1") && claims["user_agent"] == .string("test"))
    #expect(claims["sign_in_method"] == .string("password"))
    let id = try #require(claims["event_id"]?.string)
    #expect(id.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
    let time = fixture.accountsFixture.now.wallMilliseconds
    let record = #"""
      {"uid":"\#(answer.localID)","email":"a@b.example","email_verified":false,"disabled":false,"metadata":{"creation_time":\#(time),"last_sign_in_time":\#(time)},"provider_data":[{"provider_id":"password","uid":"a@b.example","email":"a@b.example"}],"tokens_valid_after_time":\#(time / 1000),"custom_claims":{}}
      """#
    #expect(claims["user_record"]?.json == record)
    #expect(throws: CredentialError.self) {
      try fixture.accounts.keys.verifyIDToken(token.text, nowSeconds: fixture.nowSeconds)
    }
    for (_, _, token) in functions.asked {
      #expect(!token.payload.json.contains(IdentityFixture.password) && !token.payload.json.contains("scrypt"))
    }
  }

  @Test("Functions get the provider's profile, its claims as an object, and the forwarded tokens")
  func federated() async throws {
    let body = "id_token=g1~a@b.example~yes&access_token=AT&expires_in=3599&providerId=google.com"
    _ = try await fixture.post(
      "accounts:signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(body)])
    let claims = try #require(functions.asked.first).token.payload
    #expect(claims["sign_in_method"] == .string("google.com"))
    #expect(claims["raw_user_info"] == .string(#"{"sub":"g1"}"#))
    #expect(claims["oauth_id_token"] == .string("g1~a@b.example~yes"))
    #expect(claims["oauth_access_token"] == nil && claims["oauth_expires_in"] == nil)
    _ = try await Self.set(
      ["triggers": ["beforeSignIn": ["functionUri": "http://h/"]], "forwardInboundCredentials": ["accessToken": true]],
      in: fixture)
    functions.forget()
    _ = try await fixture.post(
      "accounts:signInWithIdp", ["requestUri": "http://localhost", "postBody": .string(body)])
    let later = try #require(functions.asked.first).token.payload
    #expect(functions.events == ["beforeSignIn"])
    #expect(later["oauth_access_token"] == .string("AT") && later["oauth_expires_in"] == .int(3_599))
    #expect(later["oauth_id_token"] == nil)
  }

  @Test("Functions get the tenant of the user, and none for the project's own users")
  func tenants() async throws {
    let tenants = try #require(fixture.accounts.tenants)
    let tenant = try await tenants.create(
      by: Administrator(name: "op", client: fixture.accountsFixture.client(), now: fixture.accountsFixture.now)
    ) { $0.allowsPasswords = true }
    functions.forget()
    for id in [nil, tenant.id] {
      let made = try await fixture.post(
        "accounts:signUp",
        [
          "email": "a@b.example", "password": .string(IdentityFixture.password), "returnSecureToken": true,
          "tenantId": id.map { .string($0) } ?? .null,
        ])
      #expect(made.status == 200, "\(made.text)")
    }
    let told = functions.asked.map { $0.token.payload }
    let expected: [ClaimValue?] = [nil, nil, .string(tenant.id), .string(tenant.id)]
    #expect(told.map { $0["tenant_id"] } == expected)
    #expect(told.map { $0["user_record"]?["tenant_id"] } == expected)
  }

  @Test("Each operation calls its functions")
  func operations() async throws {
    func asked(_ work: () async throws -> Void) async throws -> [String] {
      functions.forget()
      try await work()
      return functions.events
    }
    let administrator = IdentityRequest.Bearer.administrator("ci")
    let both = ["beforeCreate", "beforeSignIn"]
    #expect(try await asked { _ = try await fixture.signUp("a@b.example") } == both)
    #expect(try await asked { _ = try await fixture.signIn("a@b.example") } == ["beforeSignIn"])
    #expect(try await asked { _ = try await fixture.federated("g1~g@b.example~yes") } == both)
    #expect(try await asked { _ = try await fixture.federated("g1~g@b.example~yes") } == ["beforeSignIn"])
    #expect(try await asked { _ = try await fixture.anonymous() } == [])
    #expect(
      try await asked { _ = try await fixture.post("accounts:signInWithCustomToken", ["token": "bob"]) } == [])
    #expect(
      try await asked {
        _ = try await fixture.post(
          "/v1/projects/demo-test/accounts", ["email": "x@y.example"], authority: administrator)
      } == [])
    let signedIn = try await fixture.signIn("a@b.example")
    #expect(try await asked { _ = try await fixture.refresh(signedIn.refreshToken) } == [])
    #expect(
      try await asked {
        _ = try await fixture.sendCode("PASSWORD_RESET", ["email": "a@b.example"])
        _ = try await fixture.post(
          "accounts:resetPassword", ["oobCode": .string(try await fixture.mailedCode()), "newPassword": "another one"])
      } == [])
    #expect(
      try await asked {
        _ = try await fixture.sendCode("EMAIL_SIGNIN", ["email": "link@b.example", "continueUrl": "http://localhost"])
        _ = try await fixture.post(
          "accounts:signInWithEmailLink",
          ["email": "link@b.example", "oobCode": .string(try await fixture.mailedCode())])
      } == both)
    #expect(functions.asked.last?.token.payload["sign_in_method"] == .string("emailLink"))
    let anonymous = try await fixture.anonymous()
    #expect(
      try await asked {
        _ = try await fixture.federated("g2~g2@b.example~yes", ["idToken": .string(anonymous.idToken)])
      } == ["beforeSignIn"])
  }

  @Test(
    "A response changes only members in its mask",
    arguments: [
      (#"{}"#, nil),
      (#"{"userRecord":{"displayName":"N","photoURL":"https://p","updateMask":"displayName"}}"#, ("N", nil)),
      (#"{"userRecord":{"photoURL":"https://p","updateMask":"photoURL"}}"#, (nil, "https://p")),
      (#"{"userRecord":{"photoUrl":"https://p","updateMask":"photoUrl, x"}}"#, (nil, "https://p")),
      (#"{"userRecord":{"displayName":null,"updateMask":"displayName"},"x":1}"#, nil),
      (#"{"userRecord":{"updateMask":""},"recaptchaActionOverride":"ALLOW"}"#, nil),
    ] as [(String, (String?, String?)?)])
  func masks(answer: String, expected: (String?, String?)?) async throws {
    functions.answers { event in
      FunctionAnswer(status: 200, body: Array((event == "beforeCreate" ? answer + "\n" : "{}").utf8))
    }
    let user = try #require(fixture.user(try await fixture.signUp("a@b.example").localID))
    #expect(user.displayName == expected?.0 && user.photoURL == expected?.1)
  }

  @Test(
    "An invalid answer of a function refuses the sign-in without a change",
    arguments: [
      ("<html>", "The function's answer is not a JSON object."),
      ("[]", "The function's answer is not a JSON object."),
      (#"{"userRecord":{"displayName":"N"}}"#, "The function's userRecord has no updateMask."),
      (#"{"userRecord":1}"#, "The function's userRecord is not an object."),
      (#"{"userRecord":{"disabled":1,"updateMask":"disabled"}}"#, "The function's disabled is neither true nor false."),
      (#"{"userRecord":{"displayName":1,"updateMask":"displayName"}}"#, "The function's displayName is not a string."),
      (
        #"{"userRecord":{"customClaims":{"iss":1},"updateMask":"customClaims"}}"#,
        "The function's customClaims have a reserved name: iss."
      ),
      (
        #"{"userRecord":{"customClaims":"{}","updateMask":"customClaims"}}"#,
        "The function's customClaims are not an object."
      ),
      (
        #"{"userRecord":{"customClaims":{"a":"\#(String(repeating: "x", count: 993))"},"updateMask":"customClaims"}}"#,
        "The function's customClaims are longer than 1000 characters."
      ),
    ])
  func unusable(answer: String, sentence: String) async throws {
    functions.answers(answer)
    let refused = try await fixture.signUp("a@b.example")
    #expect(refused.status == 400)
    #expect(refused.error == "BLOCKING_FUNCTION_ERROR_RESPONSE : " + sentence)
    #expect(fixture.accounts.store.view.userCount == 0)
  }

  @Test("a function cannot give an account the console claim", arguments: ["customClaims", "sessionClaims"])
  func consoleClaim(_ member: String) async throws {
    let functions = FakeFunctions()
    let fixture = try IdentityFixture(functions: functions) { $0.consoleClaim = "staff" }
    let set = try await Self.set(["triggers": ["beforeSignIn": ["functionUri": .string(Self.signIn)]]], in: fixture)
    #expect(set.status == 200)
    functions.answers("{\"userRecord\":{\"\(member)\":{\"staff\":true},\"updateMask\":\"\(member)\"}}")
    let refused = try await fixture.signUp("a@b.example")
    #expect(refused.status == 400)
    #expect(refused.text.contains("opens the console"), "\(refused.text)")
    functions.answers("{\"userRecord\":{\"\(member)\":{\"team\":1},\"updateMask\":\"\(member)\"}}")
    #expect(try await fixture.signUp("c@b.example").status == 200)
  }

  @Test("A function's refusal has a message for clients, truncated, with one separator, and without the function's URL")
  func refusals() async throws {
    let text = #"{"error":{"message":"no : evil","status":"PERMISSION_DENIED"}}"#
    functions.answers { _ in FunctionAnswer(status: 403, body: Array(text.utf8)) }
    var refused = try await fixture.signUp("a@b.example")
    #expect(refused.status == 400)
    #expect(
      refused.error
        == "BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: "
        + text.replacing(" : ", with: ": "))
    functions.answers { _ in FunctionAnswer(status: 500, body: Array(repeating: UInt8(ascii: "x"), count: 60_000)) }
    refused = try await fixture.signUp("a@b.example")
    #expect((refused.error?.utf8.count ?? 0) < 2_200)
    functions.answers { _ in FunctionAnswer(status: 302, body: []) }
    refused = try await fixture.signUp("a@b.example")
    #expect(refused.error?.hasSuffix("returned an error: status 302") == true)
    for (failure, sentence) in [
      (HookFailure.deadlineExceeded, "Cloud function deadline exceeded."),
      (.unreachable, "Cloud function could not be reached."),
    ] {
      functions.answers { _ in throw failure }
      refused = try await fixture.signUp("a@b.example")
      #expect(refused.status == 503)
      #expect(refused.error == "BLOCKING_FUNCTION_ERROR_RESPONSE : " + sentence)
    }
    #expect(fixture.accounts.store.view.userCount == 0)
  }

  @Test("Session claims of beforeCreate are dropped; those of beforeSignIn are in the tokens")
  func sessionClaims() async throws {
    functions.answers { event in
      let claims = #"{"userRecord":{"sessionClaims":{"at":"\#(event)"},"updateMask":"sessionClaims"}}"#
      return FunctionAnswer(status: 200, body: Array(claims.utf8))
    }
    let answer = try await fixture.signUp("a@b.example")
    #expect(try fixture.claims(answer.idToken)["at"] == .string("beforeSignIn"))
    #expect(try fixture.claims(try await fixture.refresh(answer.refreshToken).idToken)["at"] == .string("beforeSignIn"))
    #expect(fixture.user(answer.localID)?.customAttributes == nil)
  }

  @Test("An unreachable beforeSignIn function allows a sign-in only where its settings say so")
  func unreachable() async throws {
    _ = try await Self.set(
      ["triggers": ["beforeSignIn": ["functionUri": "http://h/", "onUnreachable": "allow"]]], in: fixture)
    functions.answers { _ in throw HookFailure.unreachable }
    #expect(try await fixture.signUp("a@b.example").status == 200)
    functions.answers { _ in throw HookFailure.deadlineExceeded }
    #expect(try await fixture.signIn("a@b.example").status == 503)
    functions.answers { _ in FunctionAnswer(status: 500, body: []) }
    #expect(try await fixture.signIn("a@b.example").status == 400)
  }

  @Test("Functions of an emulator get unsigned tokens when this is configured")
  func unsigned() async throws {
    _ = try await Self.set(
      ["triggers": ["beforeCreate": ["functionUri": "http://h/", "signing": "none"]]], in: fixture)
    _ = try await fixture.signUp("a@b.example")
    let token = try #require(functions.asked.first).token
    #expect(token.header["alg"] == .string("none") && token.header["kid"] == nil)
    #expect(token.text.hasSuffix("."))
  }

  @Test("Administrators read the functions' configuration, and invalid ones are refused by name")
  func configuration() async throws {
    let shown = try await fixture.send(Self.path, [], method: "GET", authority: .administrator("ci"))
    #expect(shown.json["blockingFunctions"]?["triggers"]?["beforeCreate"]?["functionUri"]?.string == Self.create)
    #expect(shown.json["blockingFunctions"]?["forwardInboundCredentials"] == ["idToken": true])
    for method in ["GET", "PATCH"] {
      #expect(try await fixture.send(Self.path, Array("{}".utf8), method: method).status == 401)
    }
    #expect(try await Self.set([:], in: fixture, authority: .refused).status == 401)
    let wrong: [(JSON, String)] = [
      (["triggers": ["beforeLunch": ["functionUri": "http://h/"]]], "unknown event: beforeLunch"),
      (
        ["triggers": ["beforeCreate": ["functionUri": "/x"]]],
        "functionUri of beforeCreate must be an absolute http or https URL"
      ),
      (
        ["triggers": ["beforeCreate": ["functionUri": "ftp://h/x"]]],
        "functionUri of beforeCreate must be an absolute http or https URL"
      ),
      (
        ["triggers": ["beforeCreate": ["functionUri": "http://u:p@h/"]]],
        "functionUri of beforeCreate must be an absolute http or https URL"
      ),
      (["triggers": ["beforeCreate": [:]]], "functionUri of beforeCreate is missing"),
      (
        ["triggers": ["beforeCreate": ["functionUri": "http://h/", "onUnreachable": "allow"]]],
        "onUnreachable can be allow for beforeSignIn only"
      ),
      (["forwardInboundCredentials": ["password": true]], "unknown credential: password"),
    ]
    for (settings, sentence) in wrong {
      let answer = try await Self.set(settings, in: fixture)
      #expect(answer.status == 400 && answer.error == "INVALID_BLOCKING_FUNCTION : " + sentence)
    }
    // A mask may name a part, which the body replaces or removes.
    let part = try await Self.set(
      ["forwardInboundCredentials": ["refreshToken": true]], in: fixture,
      mask: "blockingFunctions.forwardInboundCredentials.refreshToken,blocking_functions.triggers.before_create")
    #expect(
      part.json["blockingFunctions"] == [
        "triggers": ["beforeSignIn": ["functionUri": .string(Self.signIn)]],
        "forwardInboundCredentials": ["idToken": true, "refreshToken": true],
      ], "\(part.text)")
    let odd = try await Self.set(
      ["triggers": ["beforeLunch": ["functionUri": "http://h/"]]], in: fixture,
      mask: "blockingFunctions.triggers.beforeLunch")
    #expect(odd.error == "INVALID_BLOCKING_FUNCTION : unknown event: beforeLunch")
    let deep = "blockingFunctions" + String(repeating: ".x", count: 3_000)
    #expect(try await Self.set([:], in: fixture, mask: deep).status == 200, "nothing is there, and nothing comes")
    #expect(try await Self.set([:], in: fixture, mask: "quota").status == 501)
    #expect(try await Self.set([:], in: fixture).status == 200)
    functions.forget()
    _ = try await fixture.signUp("a@b.example")
    #expect(functions.events == [])
  }

  @Test("The functions of the file are called until others are set, and again after those are cleared")
  func file() async throws {
    let text = #"{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"http://file/"}}}}"#
    let parsed = try AccountsConfiguration.parse(
      Array(text.utf8), over: AccountsConfiguration(projectID: "p", publicURL: "http://localhost"))
    let fixture = try IdentityFixture(functions: functions) { $0.blockingFunctions = parsed.blockingFunctions }
    _ = try await fixture.signUp("a@b.example")
    #expect(functions.asked.map(\.url) == ["http://file/"])
    _ = try await Self.set(["triggers": [:]], in: fixture)
    _ = try await fixture.signUp("c@b.example")
    #expect(functions.asked.count == 1)
    _ = try await fixture.send(
      Self.path, Array("{}".utf8), method: "PATCH", query: [("updateMask", "blockingFunctions")],
      authority: .administrator("ci"))
    _ = try await fixture.signUp("d@b.example")
    #expect(functions.asked.count == 2)
    #expect(throws: SettingsError.self) {
      try AccountsConfiguration.parse(
        Array(#"{"blockingFunctions":{"triggers":{"x":{}}}}"#.utf8),
        over: AccountsConfiguration(projectID: "p", publicURL: "http://localhost"))
    }
  }
}
