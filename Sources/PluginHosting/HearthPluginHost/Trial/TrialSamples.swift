import HearthCrypto
import HearthPlugin
import HearthTree

/// The inputs that test a plugin against the contract.
struct TrialSamples {
  let manifest: PluginManifest

  /// Returns a complete, plain input of the hook. It holds no valid credential.
  func input(_ hook: PluginHook) -> JSON {
    switch hook {
    case .exchange: encoded(signIn(parameters: ["key": "a-key-that-opens-nothing-at-all-000000"]))
    case .checkPassword: encoded(passwordCheck())
    case .beforeCreate: encoded(event(.beforeCreate))
    case .beforeSignIn: encoded(event(.beforeSignIn))
    case .customClaims:
      encoded(
        ClaimsRequest(
          id: "trial", occasion: .refresh, user: user, signInProvider: "password",
          claims: ["role": "reader"], clientAddress: "192.0.2.1"))
    case .onWrite: encoded(write)
    case .sendMail:
      encoded(
        MailMessage(
          kind: .verifyEmail, to: "somebody@example.invalid", fromName: "Example", fromAddress: "app@example.invalid",
          subject: "A test of the plugin", text: "Please ignore it.", html: "<p>Please ignore it.</p>"))
    case .sendSMS:
      // A number that is reserved for fiction, so that no subscriber has it.
      encoded(SMSMessage(kind: .test, to: "+15555550100", text: "A test of the plugin. Please ignore it."))
    case .rulesSource: encoded(RulesSource(fileName: "trial.\(manifest.rules?.extensions.first ?? "")", text: ""))
    case .verifyToken: encoded(token("a-token-that-opens-nothing-at-all-000000"))
    case .audit:
      encoded(
        AuditEntry(
          sequence: 1, time: "2027-01-15T08:00:00.000Z", event: "sign_in_ok", hash: String(repeating: "0", count: 64)))
    }
  }

  /// Returns inputs that no server sends: the plugin may refuse them or report an error, and continues.
  func badInputs(_ hook: PluginHook) -> [(name: String, input: JSON)] {
    var bad: [(name: String, input: JSON)] = [
      ("an empty object", [:]), ("null", .null), ("a list", .array([.int(1)])), ("a text", .string("x")),
      ("members of other kinds", .object((input(hook).members ?? []).map { .init($0.name, .array([])) })),
    ]
    if hook == .exchange {
      bad.append(("no parameters", encoded(signIn(parameters: [:]))))
      bad.append(("line breaks and quotes", encoded(signIn(parameters: ["key": "\u{0}\n\r\"'\\\u{2028}{}"]))))
    }
    if hook == .checkPassword {
      bad.append(("no password", encoded(passwordCheck(password: ""))))
      bad.append(
        ("quotes and wildcards", encoded(passwordCheck(email: "'\"%_*)(\\@example.invalid", password: "'\"%_*)(\\"))))
    }
    if hook == .verifyToken {
      bad.append(("an empty token", encoded(token(""))))
      bad.append(("three parts of nothing", encoded(token(".."))))
      bad.append(("an unsigned token", encoded(token("eyJhbGciOiJub25lIn0.eyJzdWIiOiJ0cmlhbCJ9."))))
      bad.append(("a token of 16 KB", encoded(token(String(repeating: "x", count: 16_384)))))
    }
    return bad
  }

  /// Returns the plain input with members that this version of the messages does not have.
  func futureInput(_ hook: PluginHook) -> JSON {
    input(hook).appending(["memberOfTheFuture": ["a": [1, .null]], "another": "x"])
  }

  /// Returns the plain input with 200 KB more.
  func largeInput(_ hook: PluginHook) -> JSON {
    let large = String(repeating: "ä", count: 100_000)
    if hook == .exchange { return encoded(signIn(parameters: ["key": large, "other": large])) }
    if hook == .checkPassword { return encoded(passwordCheck(password: large)) }
    return input(hook).appending(["large": .string(large)])
  }

  private func signIn(parameters: [String: String]) -> SignInRequest {
    SignInRequest(
      id: "trial", providerID: manifest.provider?.id ?? "", method: .credential, operation: .signIn,
      parameters: parameters, facts: ProviderFacts(projectID: "trial", nowSeconds: 1_800_000_000))
  }

  private func passwordCheck(
    email: String = "somebody@example.invalid", password: String = "a password that opens nothing"
  ) -> PasswordCheck {
    PasswordCheck(id: "trial", email: email, password: password, clientAddress: "192.0.2.1")
  }

  private func token(_ text: String) -> TokenQuestion {
    TokenQuestion(
      id: "trial", token: text, digest: Digest(sha256: text.utf8).hex, projectID: "trial", nowSeconds: 1_800_000_000)
  }

  private var user: HookUser {
    var user = HookUser(uid: "trial-user", createdAtMilliseconds: 1_800_000_000_000)
    user.email = "somebody@example.invalid"
    user.isEmailVerified = true
    user.displayName = "Some Body"
    return user
  }

  private func event(_ moment: HookEvent.Moment) -> HookEvent {
    HookEvent(
      id: "trial", moment: moment, user: user, isNewUser: true, signInProvider: "password", clientAddress: "192.0.2.1")
  }

  private var write: WriteEvent {
    WriteEvent(
      type: "database.created", id: "trial-write", timestamp: "2027-01-15T08:00:00.000Z",
      data: WriteEvent.Data(
        trigger: "trial", database: "trial", path: "/trial/a", params: ["id": "a"],
        author: WriteEvent.Author(
          type: "user", uid: "trial-user", auth: ["uid": "trial-user"]),
        sequence: "000000000000001000001",
        values: WriteEvent.Values(after: ["text": "Please ignore it."])))
  }

  private func encoded(_ value: some Encodable) -> JSON { (try? JSON(encoding: value)) ?? .null }

  /// Returns the problem of an answer; nil when the server could use it.
  static func problem(_ hook: PluginHook, _ outcome: PluginOutcome) -> String? {
    guard case .output(let output) = outcome else { return outcome.text }
    do {
      switch hook {
      case .exchange: let _: SignInAnswer = try output.decoded()
      case .checkPassword: let _: PasswordCheckAnswer = try output.decoded()
      case .beforeCreate, .beforeSignIn: let _: HookVerdict = try output.decoded()
      case .customClaims:
        let answer: ClaimsAnswer = try output.decoded()
        return answer.claims.members == nil ? "returned an unexpected response: the claims are not an object" : nil
      case .sendMail, .sendSMS, .onWrite, .audit: break
      case .rulesSource: let _: RulesSourceAnswer = try output.decoded()
      case .verifyToken: let _: TokenAnswer = try output.decoded()
      }
      return nil
    } catch let error as DecodingError {
      return "returned an unexpected response: \(error.place)"
    } catch {
      return "returned an unexpected response"
    }
  }
}
