import HearthPlugin
import HearthTestKit
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct ProviderTests {
  private struct Broken: Error, CustomStringConvertible { var description: String { "the secret of it all" } }

  private struct BrokenProvider: SignInProvider {
    let manifest = ProviderManifest(id: "google.com", displayName: "G", methods: [.credential, .password, .anonymous])
    func answer(_ request: SignInRequest) async throws -> SignInAnswer { throw Broken() }
  }

  private struct BrokenMailer: Mailer {
    func send(_ message: MailMessage) async throws { throw Broken() }
  }

  @Test("A failing provider is refused without details of the failure")
  func broken() async throws {
    let fixture = try IdentityFixture(providers: [BrokenProvider()]) { $0.limits.accountFailuresFree = 1 }
    let federated = try await fixture.federated("7~a@b.example~yes")
    #expect(federated.error == "INVALID_IDP_RESPONSE : The provider google.com did not answer.")
    for _ in 0..<5 {
      // A server error does not count as a failed attempt.
      let password = try await fixture.signIn("a@b.example")
      #expect(password.status == 503)
      #expect(JSON(parsing: password.response.body) == nil)
    }
    #expect(try await fixture.anonymous().status == 503)
    #expect(fixture.accounts.store.view.userCount == 0)
    #expect(!fixture.accountsFixture.notices.isEmpty)
    #expect(
      fixture.accountsFixture.notices.allSatisfy { !$0.text.contains("secret") && !$0.text.contains("a@b.example") })
  }

  @Test("A slow provider times out")
  func deadline() async {
    #expect(await Deadline.run(milliseconds: 60_000) { 7 } == 7)
    #expect(await Deadline.run(milliseconds: 60_000) { () -> Int in throw Broken() } == nil)
    let (end, ending) = AsyncStream<Void>.makeStream()
    let late = await Deadline.run(milliseconds: 20) { () -> Int in
      // The task ignores cancellation, and ends when no other task waits for it.
      await Task.detached { for await _ in end {} }.value
      return 7
    }
    #expect(late == nil)
    ending.finish()
  }

  @Test("An unsent mail is reported only to the operator, without address or code")
  func brokenMailer() async throws {
    let fixture = try IdentityFixture()
    let queue = SendQueue<MailMessage>(
      ActivePlugins(PluginSet(mailer: BrokenMailer())), notice: fixture.accountsFixture.environment.notice)
    queue.send(
      MailMessage(
        kind: .resetPassword, to: "a@b.example", fromName: "x", fromAddress: "y", subject: "z", text: "code", html: ""))
    await queue.idle()
    // The error is the mailer's own text, which by contract contains neither.
    #expect(
      fixture.accountsFixture.notices.map(\.text) == ["a mail (resetPassword) could not be sent: the secret of it all"])
  }

  /// A sender that refuses some numbers.
  private struct RefusingSMSSender: SMSSender {
    struct Refused: Error, CustomStringConvertible { let description = "not this one" }

    func send(_ message: SMSMessage) async throws { if message.to.hasSuffix("9") { throw Refused() } }
  }

  @Test("The result of a text message is returned to its caller, and a failure is reported to the operator")
  func textMessages() async throws {
    let fixture = try IdentityFixture()
    func queue(_ sender: (any SMSSender)?) -> SendQueue<SMSMessage> {
      SendQueue<SMSMessage>(
        ActivePlugins(PluginSet(smsSender: sender)), notice: fixture.accountsFixture.environment.notice)
    }
    let sent = try #require(SMSMessage(kind: .code, to: "+15555550100", text: "123456"))
    let refused = try #require(SMSMessage(kind: .code, to: "+15555550109", text: "123456"))
    #expect(await queue(RefusingSMSSender()).sendAndWait(sent) == nil)
    #expect(fixture.accountsFixture.notices.isEmpty)
    #expect(await queue(RefusingSMSSender()).sendAndWait(refused) == "not this one")
    #expect(fixture.accountsFixture.notices.map(\.text) == ["a text message (code) could not be sent: not this one"])
    #expect(await queue(nil).sendAndWait(sent)?.hasPrefix("no sender") == true)
  }

  @Test("Of two providers with one id the first is used; methods find the provider that serves them")
  func directory() {
    let directory = ActivePlugins(PluginSet(providers: [FakeGoogle(), BrokenProvider()]))
    #expect(directory.credentialProvider("google.com") is FakeGoogle)
    #expect(directory.provider(for: .password) is BrokenProvider)
    #expect(directory.provider(for: .emailLink) == nil)
    #expect(ActivePlugins(PluginSet(providers: [FakeAnonymous()])).credentialProvider("anonymous") == nil)
  }

  @Test("Without enumeration protection a conflict names the account's sign-in methods")
  func verifiedProviders() async throws {
    let fixture = try IdentityFixture { $0.protectsFromEnumeration = false }
    let owner = try await fixture.signUp("a@b.example")
    try await fixture.change(owner.localID) { $0.identities = [ProviderIdentity(providerID: "github.com", rawID: "1")] }
    let answer = try await fixture.federated("7~a@b.example~no")
    #expect(answer.json["verifiedProvider"] == ["password", "github.com"])
  }

  @Test(
    "Times are encoded as clients parse them",
    arguments: [
      (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_400_001, "2000-02-29T00:00:00.001Z"),
      (1_795_262_399_999, "2026-11-21T11:59:59.999Z"), (-5, "1969-12-31T23:59:59.995Z"),
      (.max, "9999-12-31T23:59:59.999Z"), (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
    ])
  func times(milliseconds: Int64, text: String) {
    #expect(Timestamp.text(milliseconds: milliseconds) == text)
    if milliseconds >= 0, milliseconds < 253_402_300_800_000 { #expect(Timestamp.milliseconds(text) == milliseconds) }
  }

  @Test("Printed values contain no secrets")
  func redacted() async throws {
    let fixture = try IdentityFixture()
    let user = try await fixture.accounts.signIn.anonymous.newUser(
      client: fixture.accountsFixture.client(), now: fixture.accountsFixture.now)
    let tokens = try await fixture.accounts.sessions.refreshable.start(
      of: user, client: fixture.accountsFixture.client(), now: fixture.accountsFixture.now
    ).tokens
    let code = try fixture.accounts.context.secrets.code()
    for text in ["\(tokens)", "\(code)", String(reflecting: tokens), String(reflecting: [code])] {
      #expect(!text.contains(tokens.refreshToken) && !text.contains(tokens.idToken) && !text.contains(code.text))
    }
  }
}
