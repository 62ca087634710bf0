import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite("An emulator's routes") struct EmulatorRouteTests {
  @Test("codes are listed in order of their requests, without a mailer, and cleared together")
  func codes() async throws {
    let fixture = try IdentityFixture.emulator()
    let user = try await fixture.signUp("ann@example.com")
    for _ in 0..<3 {
      #expect(try await fixture.sendCode("PASSWORD_RESET", ["email": "ann@example.com"]).status == 200)
      #expect(try await fixture.sendCode("VERIFY_EMAIL", ["idToken": .string(user.idToken)]).status == 200)
    }
    // The continue URL may have any address.
    let target: JSON = ["email": "new@example.com", "continueUrl": "http://10.0.2.2:5173/done"]
    #expect(try await fixture.sendCode("EMAIL_SIGNIN", target).status == 200)
    let listed = try await fixture.emulated("GET", "demo-test/oobCodes").json["oobCodes"]?.array ?? []
    let kinds = listed.map { $0["requestType"]?.string }
    let (reset, verify) = ("PASSWORD_RESET", "VERIFY_EMAIL")
    #expect(kinds == [reset, verify, reset, verify, reset, verify, "EMAIL_SIGNIN"])
    for code in listed {
      let link = try #require(code["oobLink"]?.string)
      #expect(link.contains("/emulator/action?mode=") && link.contains(code["oobCode"]?.string ?? "?"))
    }
    let last = try #require(listed.last?["oobCode"])
    let signedIn = try await fixture.post(
      "accounts:signInWithEmailLink", ["email": "new@example.com", "oobCode": last])
    #expect(signedIn.json["isNewUser"] == true)
    #expect(try await fixture.emulated("GET", "demo-test/oobCodes").json["oobCodes"]?.array?.count == 6)
    #expect(try await fixture.emulated("DELETE", "demo-test/accounts").status == 200)
    #expect(try await fixture.emulated("GET", "demo-test/oobCodes").json["oobCodes"] == .array([]))
    #expect(try await fixture.lookup(user.idToken).error == "USER_NOT_FOUND")
  }

  @Test("enumeration protection is off as in the official emulator, and is switched by the configuration")
  func configuration() async throws {
    let fixture = try IdentityFixture.emulator()
    let standard: JSON = [
      "signIn": ["allowDuplicateEmails": false], "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
    ]
    #expect(try await fixture.emulated("GET", "demo-test/config").json == standard)
    #expect(try await fixture.signIn("no@example.com").error == "EMAIL_NOT_FOUND")
    let on: JSON = ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]
    let changed = try await fixture.emulated("PATCH", "demo-test/config", on)
    #expect(changed.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
    #expect(try await fixture.signIn("no@example.com").error == "INVALID_LOGIN_CREDENTIALS")
    // The other projects have settings of their own.
    #expect(try await fixture.emulated("GET", "demo-b/config").json == standard)
    let kept = try await fixture.emulated("PATCH", "demo-test/config", ["signIn": ["allowDuplicateEmails": false]])
    #expect(kept.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
    let duplicates = try await fixture.emulated("PATCH", "demo-test/config", ["signIn": ["allowDuplicateEmails": true]])
    #expect(
      duplicates.json == [
        "signIn": ["allowDuplicateEmails": true], "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true],
      ])
    let claims = #"{"sub":"7","email":"a@b.example","email_verified":true}"#
    let first = try await fixture.signInWith("google.com", claims)
    let second = try await fixture.signInWith("facebook.com", claims)
    #expect(first.status == 200 && second.status == 200 && first.localID != second.localID, "\(second.text)")
    // Without a mask the request sets the whole configuration of the official emulator.
    let path = "/identitytoolkit.googleapis.com/v2/projects/demo-test/config"
    let whole = try await fixture.owner(
      path, ["blockingFunctions": ["forwardInboundCredentials": ["idToken": true]]], method: "PATCH")
    #expect(whole.json["signIn"]?["allowDuplicateEmails"] == false, "\(whole.text)")
    #expect(whole.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] != true)
    #expect(whole.json["blockingFunctions"] == ["forwardInboundCredentials": ["idToken": true]])
    #expect(try await fixture.owner(path, method: "PATCH").json["blockingFunctions"] == [:])
    #expect(try await fixture.emulated("POST", "demo-test/config", on).status == 405)
  }

  @Test("an emulator accepts second factors of new accounts and sign-in links without a URL, and lists tenant ids")
  func shortcuts() async throws {
    let fixture = try IdentityFixture.emulator()
    let factor: JSON = ["phoneInfo": "+15555550100", "displayName": "Cell", "mfaEnrollmentId": "mine"]
    let user: JSON = ["email": "ann@example.com", "password": "correct horse", "mfaInfo": .array([factor, factor])]
    let made = try await fixture.post("accounts:signUp", user, isFromLoopback: true)
    #expect(made.status == 200 && !made.idToken.isEmpty, "\(made.text)")
    let kept = try #require(fixture.user(made.localID)?.factors)
    #expect(kept.count == 1 && kept.first?.id != "mine" && kept.first?.displayName == "Cell")
    #expect(try await fixture.signIn("ann@example.com").json["mfaPendingCredential"] != nil)
    let wrong: JSON = ["email": "b@example.com", "password": "correct horse", "mfaInfo": [["phoneInfo": "5555550100"]]]
    #expect(
      try await fixture.post("accounts:signUp", wrong, isFromLoopback: true).error
        == "INVALID_MFA_PHONE_NUMBER : Invalid format.")
    // A client of another machine, or of another server, cannot enroll itself.
    let other: JSON = ["email": "c@example.com", "password": "correct horse", "mfaInfo": .array([factor])]
    let far = try await fixture.post("accounts:signUp", other, address: "198.51.100.1", isFromLoopback: false)
    #expect(fixture.user(far.localID)?.factors.isEmpty != false)
    #expect(try await fixture.sendCode("EMAIL_SIGNIN", ["email": "new@example.com"]).status == 200)
    let tenant = try await fixture.post(
      "/v2/projects/demo-test/tenants", ["displayName": "acme"], authority: .administrator("owner"),
      isFromLoopback: true)
    #expect(tenant.json["name"]?.string == "projects/demo-test/tenants/\(tenant.json["tenantId"]?.string ?? "?")")
  }

  @Test("passwords in the official emulator's form are imported, by administrators of an emulator alone")
  func readablePasswords() async throws {
    let fixture = try IdentityFixture.emulator()
    let path = "/v1/projects/demo-test/accounts:batchCreate"
    let users = (0..<60).map { number -> JSON in
      [
        "localId": .string("u\(number)"), "email": .string("u\(number)@example.com"), "salt": "s",
        "passwordHash": .string("fakeHash:salt=s:password=a:password=\(number)"),
      ]
    }
    let answer = try await fixture.owner(path, ["users": .array(users)])
    #expect(answer.status == 200 && answer.json["error"] == nil, "\(answer.text)")
    #expect(try await fixture.signIn("u59@example.com", "a:password=59").localID == "u59")
    #expect(fixture.user("u59")?.password?.hash.contains("password=") == false)
    let real = try IdentityFixture()
    let refused = try await real.post(path, ["users": .array(users)], authority: .administrator("op"))
    #expect(refused.json["error"]?.array?.count == 60 && real.accounts.store.view.userCount == 0, "\(refused.text)")
  }

  @Test("every project has the project number by which test suites recognize an emulator")
  func projectNumber() async throws {
    let fixture = try IdentityFixture.emulator()
    let user = try await fixture.signUp("ann@example.com")
    #expect(try await fixture.refresh(user.refreshToken).json["project_id"] == "12345")
    let real = try IdentityFixture()
    let other = try await real.signUp("ann@example.com")
    #expect(try await real.refresh(other.refreshToken).json["project_id"]?.string?.utf8.count == 12)
  }

  @Test("phone numbers: a listed code signs in, once; the number of another account yields a temporary proof")
  func phones() async throws {
    let fixture = try IdentityFixture.emulator()
    let number: JSON = "+15555550100"
    let foreign = try await fixture.post(
      "accounts:sendVerificationCode", ["phoneNumber": number], isFromLoopback: false)
    #expect(foreign.error?.hasPrefix("OPERATION_NOT_ALLOWED") == true, "a page of another site")
    func send(_ number: JSON) async throws -> (sessionInfo: JSON, code: JSON) {
      let sent = try await fixture.app("accounts:sendVerificationCode", ["phoneNumber": number, "recaptchaToken": "x"])
      let sessionInfo = try #require(sent.json["sessionInfo"], "\(sent.text)")
      let codes = try await fixture.emulated("GET", "demo-test/verificationCodes").json["verificationCodes"]?.array
      let shown = try #require(codes?.last)
      #expect(shown["phoneNumber"] == number && shown["sessionInfo"] == sessionInfo)
      return (sessionInfo, try #require(shown["code"]))
    }
    func signIn(_ members: JSON) async throws -> IdentityFixture.Answer {
      try await fixture.app("accounts:signInWithPhoneNumber", members)
    }
    let first = try await send(number)
    let wrong = try await signIn(["sessionInfo": first.sessionInfo, "code": "no"])
    #expect(wrong.error == "INVALID_CODE")
    let made = try await signIn(["sessionInfo": first.sessionInfo, "code": first.code])
    #expect(made.json["isNewUser"] == true && made.json["phoneNumber"] == number, "\(made.text)")
    #expect(try fixture.claims(made.idToken)["firebase"]?["sign_in_provider"] == .string("phone"))
    #expect(try fixture.claims(made.idToken)["phone_number"] == .string("+15555550100"))
    let used = try await signIn(["sessionInfo": first.sessionInfo, "code": first.code])
    #expect(used.error == "INVALID_SESSION_INFO")
    // A second account gets another number, and for the first one's number a temporary proof to sign in with.
    let other = try await fixture.signUp("ann@example.com")
    let second = try await send("+15555550101")
    let linked = try await signIn([
      "sessionInfo": second.sessionInfo, "code": second.code, "idToken": .string(other.idToken),
    ])
    #expect(linked.localID == other.localID && linked.json["isNewUser"] == false, "\(linked.text)")
    let third = try await send(number)
    let taken = try await signIn([
      "sessionInfo": third.sessionInfo, "code": third.code, "idToken": .string(linked.idToken),
    ])
    let proof = try #require(taken.json["temporaryProof"], "\(taken.text)")
    let entered = try await signIn(["phoneNumber": number, "temporaryProof": proof])
    #expect(entered.localID == made.localID)
    #expect(try await signIn(["phoneNumber": number, "temporaryProof": "x"]).error == "INVALID_TEMPORARY_PROOF")
    #expect(try await signIn(["code": "1"]).error == "MISSING_SESSION_INFO")
    #expect(try await signIn(["sessionInfo": "x"]).error == "MISSING_CODE")
    // A masked number is refused as well: older SDKs for iOS send one to an emulator instead of a second factor's
    // enrollment id, which Firebase refuses too. A code for it would be valid for every number with the same last
    // digits.
    for bad: JSON in ["", "5555550100", "+0", .null, "+*******0100"] {
      let answer = try await fixture.app("accounts:sendVerificationCode", ["phoneNumber": bad])
      #expect(answer.error == "INVALID_PHONE_NUMBER : Invalid format.")
    }
    #expect(try await fixture.emulated("DELETE", "demo-test/accounts").status == 200)
    #expect(try await fixture.emulated("GET", "demo-test/verificationCodes").json["verificationCodes"] == .array([]))
  }

  @Test("the newest codes of a number are kept, and all are listed in order")
  func phoneCodesAreBounded() async throws {
    let fixture = try IdentityFixture.emulator()
    let kept = AccountStoreLimits().ticketsPerOwnerMax
    for number in 0..<(kept + 3) {
      let answer = try await fixture.app("accounts:sendVerificationCode", ["phoneNumber": "+15555550100"])
      #expect(answer.status == 200)
      let other: JSON = .string("+1555555\(1000 + number)")
      #expect(try await fixture.app("accounts:sendVerificationCode", ["phoneNumber": other]).status == 200)
      fixture.accountsFixture.advance(seconds: 1)
    }
    let shown = try await fixture.emulated("GET", "demo-test/verificationCodes").json["verificationCodes"]?.array ?? []
    let numbers = shown.compactMap { $0["phoneNumber"]?.string }
    #expect(numbers.count { $0 == "+15555550100" } == kept)
    let others = numbers.filter { $0 != "+15555550100" }
    #expect(others.count == kept + 3 && others == others.sorted())
  }

  @Test("an emulator does not throttle sign-ups, wrong passwords, mails and codes")
  func noThrottles() async throws {
    let fixture = try IdentityFixture.emulator()
    for number in 0..<120 {
      #expect(try await fixture.signUp("user\(number)@example.com").status == 200)
      #expect(try await fixture.anonymous().status == 200)
    }
    for number in 0..<60 {
      #expect(try await fixture.signIn("user\(number)@example.com", "wrong").error == "INVALID_PASSWORD")
      #expect(try await fixture.signIn("user0@example.com", "wrong").error == "INVALID_PASSWORD")
      #expect(try await fixture.sendCode("PASSWORD_RESET", ["email": "user0@example.com"]).status == 200)
      #expect(try await fixture.app("accounts:signInWithCustomToken", ["token": "{"]).status == 400)
    }
    #expect(try await fixture.signIn("user0@example.com").status == 200)
    #expect(try await fixture.signInWith("google.com", #"{"sub":"1"}"#).status == 200)
  }

  @Test("a lock from before the emulator started is removed, and outside emulators the limits apply")
  func locks() async throws {
    let limits = ThrottleLimits()
    for (label, value) in Mirror(reflecting: limits.lifted).children.map({ ($0.label ?? "", $0.value) }) {
      let stays = ["accountDelaySecondsMax", "accountForgetSeconds", "countersMax"]
      #expect((value as? Int).map { $0 >= 1_000_000 } ?? true || stays.contains(label), "\(label)")
    }
    let fixture = try IdentityFixture()
    for number in 0..<100 { #expect(try await fixture.signUp("user\(number)@example.com").status == 200) }
    #expect(try await fixture.signUp("one-more@example.com").error?.hasPrefix("TOO_MANY_ATTEMPTS") == true)
  }

  @Test(
    "emulator routes exist only in emulator mode and for this machine",
    arguments: [
      ("DELETE", "accounts"), ("GET", "oobCodes"), ("GET", "verificationCodes"), ("GET", "config"), ("PATCH", "config"),
      ("DELETE", "tenants/t/accounts"),
    ])
  func absent(_ method: String, _ route: String) async throws {
    for (fixture, isFromLoopback) in [
      (try IdentityFixture.emulator(), false), (try IdentityFixture(), true), (try IdentityFixture(), false),
    ] {
      _ = try await fixture.signUp("ann@example.com")
      let path = "/emulator/v1/projects/demo-test/" + route
      let answer = try await fixture.post(path, method: method, isFromLoopback: isFromLoopback)
      #expect(answer.status == 404, "\(answer.text)")
      #expect(fixture.accounts.store.view.userCount == 1)
    }
    let fixture = try IdentityFixture()
    for operation in ["accounts:sendVerificationCode", "accounts:signInWithPhoneNumber"] {
      let answer = try await fixture.post(operation, ["phoneNumber": "+15555550100"], isFromLoopback: true)
      #expect(answer.error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
    }
    let parameters = try await fixture.post("/v1/recaptchaParams", method: "GET", isFromLoopback: true)
    #expect(parameters.error?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
  }
}
