#if PLUGIN_Password
  import HearthPlugin
  import Testing

  @testable import PasswordPlugin

  @Suite struct PasswordTests {
    static func provider(
      _ settings: String = "{}", policy: PasswordPolicy = PasswordPolicy()
    ) throws -> any SignInProvider {
      try #require(try PasswordSignIn.providers(Requests.settings(settings, passwordPolicy: policy)).first)
    }

    static func answer(
      _ password: String, settings: String = "{}", policy: PasswordPolicy = PasswordPolicy(),
      email: String = "alice@example.com", operation: SignInRequest.Operation = .signUp
    ) async throws -> SignInAnswer {
      try await provider(settings, policy: policy).answer(
        Requests.make(.password, ["email": email, "password": password], operation: operation))
    }

    static func policy(_ change: (inout PasswordPolicy) -> Void) -> PasswordPolicy {
      var policy = PasswordPolicy()
      change(&policy)
      return policy
    }

    @Test("Security 2: passwords of up to 4096 bytes are accepted", arguments: [64, 128, 4_095, 4_096])
    func long(count: Int) async throws {
      let password = String(repeating: "x", count: count)
      #expect(
        try await Self.answer(password) == .password(PasswordProof(email: "alice@example.com", password: password)))
    }

    @Test(
      "Security 3: a password is passed on byte for byte",
      arguments: [
        " leading", "trailing ", "\t  tab", "a\u{0}b\u{0}c\u{0}", "🐵🙈🙉🐵🙈🙉", "e\u{301}e\u{301}e\u{301}", "éééééé",
        "PassWORD",
        "line\nfeed\r\n", String(repeating: "a", count: 72) + "1", String(repeating: "a", count: 72) + "2",
      ], [SignInRequest.Operation.signIn, .signUp, .change])
    func preserved(password: String, operation: SignInRequest.Operation) async throws {
      guard case .password(let proof) = try await Self.answer(password, operation: operation) else {
        Issue.record("refused")
        return
      }
      #expect(proof.password.utf8.elementsEqual(password.utf8))
    }

    @Test("Security 5: the most common passwords are refused when that is enabled")
    func common() async throws {
      let policy = Self.policy { $0.refusesCommon = true }
      for password in ["123456", "password", "PassWord", "qwerty", "iloveyou", "letmein", "password1", "1234567890"] {
        #expect(try await Self.answer(password).refusal == nil)
        #expect(try await Self.answer(password, policy: policy).refusal?.code == .weakPassword, "\(password)")
      }
      #expect(try await Self.answer("vq8-oplK-mvn2", policy: policy).refusal == nil)
      #expect(CommonPasswords.count == 5_800)
      let all = [CommonPasswords.short, CommonPasswords.long].flatMap {
        $0.description.split(whereSeparator: \.isWhitespace)
      }
      #expect(all.count { $0.count >= 8 } >= 3_000)
      #expect(all.allSatisfy { $0.count >= 6 && $0.lowercased() == $0 })
    }

    @Test("Security 6: passwords with words from the account or the app are refused when that is enabled")
    func context() async throws {
      let settings = #"{"contextWords": ["Acme"]}"#
      let policy = Self.policy { $0.refusesContext = true }
      for password in ["xxAlicexx", "ALICE-1234", "my demo-project!", "acmeacme"] {
        #expect(try await Self.answer(password).refusal == nil)
        #expect(
          try await Self.answer(password, settings: settings, policy: policy).refusal?.code == .weakPassword,
          "\(password)")
      }
      // Half of all texts contain the local part of this address.
      #expect(
        try await Self.answer("a strange one", settings: settings, policy: policy, email: "a@example.com").refusal
          == nil)
      #expect(try await Self.answer("example.com!", settings: settings, policy: policy).refusal == nil)
    }

    @Test("the password of a sign-in is not checked against the policy for new ones")
    func signIn() async throws {
      let strict = Self.policy { $0.refusesCommon = true }
      #expect(
        try await Self.answer("123456", policy: strict, operation: .signIn)
          == .password(PasswordProof(email: "alice@example.com", password: "123456")))
      for operation in [SignInRequest.Operation.signUp, .link, .change] {
        #expect(try await Self.answer("123456", policy: strict, operation: operation).refusal?.code == .weakPassword)
      }
    }

    @Test("a password policy in the plugin's settings is refused, with the place where it belongs")
    func policyInPlugin() throws {
      let error = #expect(throws: SettingsError.self) { try Self.provider(#"{"policy": {"lengthMin": 8}}"#) }
      #expect(error?.place == "signIn.password.policy" && error?.message.contains("\"passwordPolicy\"") == true)
    }

    @Test("missing and invalid members are named")
    func missing() async throws {
      #expect(try await Self.answer("secret1", email: "").refusal?.code == .missingEmail)
      #expect(try await Self.answer("").refusal?.code == .missingPassword)
      for email in ["alice", "@b", "a@", "a@b@c", "a b@c", "a@b\n", String(repeating: "x", count: 250) + "@b.example"] {
        #expect(try await Self.answer("secret1", email: email).refusal?.code == .invalidEmail, "\(email)")
      }
      #expect(try await Self.provider().answer(Requests.make(.password, [:])).refusal?.code == .missingEmail)
      #expect(try await Self.provider().answer(Requests.make(.customToken, [:])).refusal?.code == .notAllowed)
    }

    @Test("a mailed code is passed on, and refused when sign-in links are disabled")
    func emailLink() async throws {
      let request = Requests.make(.emailLink, ["email": "alice@example.com", "code": "c0de"])
      #expect(
        try await Self.provider().answer(request)
          == .emailCode(EmailCodeProof(email: "alice@example.com", code: "c0de")))
      let without = Requests.make(.emailLink, ["email": "alice@example.com"])
      #expect(try await Self.provider().answer(without).refusal?.code == .missingCode)
      let off = try Self.provider(#"{"emailLink": false}"#)
      #expect(off.manifest.methods == [.password])
      #expect(try await off.answer(request).refusal?.code == .notAllowed)
    }

    @Test("no refusal repeats the password")
    func noEcho() async throws {
      let policy = Self.policy { ($0.refusesCommon, $0.refusesContext) = (true, true) }
      for password in ["dragon", "xxalicexx"] {
        let text = try await Self.answer(password, policy: policy).refusal?.message ?? ""
        #expect(!text.isEmpty && !text.contains(password))
      }
    }
  }
#endif
