#if PLUGIN_OAuth
  import HearthOutbound
  import HearthPlugin
  import HearthTree
  import Synchronization
  import Testing

  @testable import HearthCrypto
  @testable import OAuthPlugin

  /// Tests of the lookup of signed-in users at their issuer.
  @Suite struct SignedInUserTests {
    private static let tokenURL = "https://oauth2.googleapis.com/token"
    private static let lookupURL = UserLookup.url(projectID: "my-app")
    private static let now = OAuthFixture.now
    private static let keyFile = Result {
      let key = try ServiceAccountKey.generate(random: .system)
      return ServiceAccountKey.json(
        projectID: "my-app", email: "poll@my-app.iam.gserviceaccount.com", keyID: key.keyID, privatePEM: key.privatePEM,
        clientID: "1", tokenURI: tokenURL, certURL: "https://example.com")
    }

    /// The revocations and reports of a lookup, and its clock.
    private final class Recorder: Sendable {
      private let state = Mutex<(seconds: Int64, revoked: [TokenRevocation], reports: [String])>((now, [], []))

      var revoked: [TokenRevocation] { state.withLock { $0.revoked } }
      var reports: [String] { state.withLock { $0.reports } }
      func advance(_ seconds: Int64) { state.withLock { $0.seconds += seconds } }

      var observer: UserLookupObserver {
        UserLookupObserver(
          nowSeconds: { self.state.withLock { $0.seconds } },
          revoke: { revocation in self.state.withLock { $0.revoked.append(revocation) } },
          report: { isFailure, text in self.state.withLock { $0.reports.append((isFailure ? "E " : "I ") + text) } })
      }
    }

    private let fakes = FakeProviders()
    private let recorder = Recorder()
    private let lookup: SignedInUserLookup

    init() throws {
      var settings = UserLookup(keyFile: "key.json", url: Self.lookupURL)
      settings.key = try Self.keyFile.get()
      lookup = SignedInUserLookup(settings, of: "https://securetoken.google.com/my-app", http: fakes)
      fakes.on(Self.tokenURL, #"{"access_token": "access-1", "expires_in": 3600, "token_type": "Bearer"}"#)
    }

    private func answer(_ users: String) {
      fakes.on(Self.lookupURL, #"{"kind": "identitytoolkit#GetAccountInfoResponse", "users": [\#(users)]}"#)
    }

    private func accepts(_ subject: String, signedInAt: Int64 = now - 60) -> Bool {
      lookup.accepts(
        SignedInUsers.SignIn(
          subject: subject, uid: "ext:" + subject, signedInAtSeconds: signedInAt, tokenEndsAtSeconds: Self.now + 3_600),
        nowSeconds: Self.now)
    }

    private func requests(_ url: String) -> [OutboundRequest] { fakes.requests.filter { $0.url == url } }

    @Test func `Security 100: tokens of users who were disabled, deleted or signed out at the issuer are revoked`()
      async throws
    {
      for subject in ["ann", "bob", "cat", "dan"] { #expect(accepts(subject)) }
      answer(
        #"{"localId": "ann", "validSince": "\#(Self.now - 600)"}, {"localId": "bob", "disabled": true},"#
          + #"{"localId": "cat", "validSince": "\#(Self.now - 59)"}"#)
      await lookup.lookUp(recorder.observer)
      #expect(recorder.revoked == [TokenRevocation(uids: ["ext:bob", "ext:cat", "ext:dan"])])
      #expect(accepts("ann") && !accepts("bob") && !accepts("cat") && !accepts("dan"))
      // A later sign-in is valid, and stays so.
      #expect(accepts("cat", signedInAt: Self.now - 59))
      await lookup.lookUp(recorder.observer)
      #expect(recorder.revoked.count == 1 && accepts("cat", signedInAt: Self.now - 59))
      // A user who is enabled again is accepted again.
      answer(#"{"localId": "bob"}"#)
      await lookup.lookUp(recorder.observer)
      #expect(accepts("bob") && !accepts("ann") && recorder.reports.isEmpty)
      #expect(lookup.status == UserLookupStatus(users: 4, succeededAtSeconds: Self.now))
    }

    @Test func `requests are signed in as the service account, with a hundred users each`() async throws {
      for number in 0..<250 { #expect(accepts("user-\(number)")) }
      answer((0..<250).map { #"{"localId": "user-\#($0)"}"# }.joined(separator: ","))
      await lookup.lookUp(recorder.observer)
      let asked = requests(Self.lookupURL).compactMap {
        JSON(parsing: $0.body)?["localId"]?.array?.compactMap(\.string)
      }
      #expect(asked.map(\.count) == [100, 100, 50] && Set(asked.joined()).count == 250)
      #expect(
        requests(Self.lookupURL).allSatisfy { $0.headers.contains(OutboundHeader("Authorization", "Bearer access-1")) })
      let form = String(decoding: try #require(requests(Self.tokenURL).first).body, as: UTF8.self)
      let assertion = try #require(form.split(separator: "assertion=").last.map(String.init))
      let claims = try TokenReader.read(assertion).payload
      #expect(claims["iss"]?.string == "poll@my-app.iam.gserviceaccount.com" && claims["aud"]?.string == Self.tokenURL)
      #expect(claims["scope"]?.string == "https://www.googleapis.com/auth/identitytoolkit")
      // The access token is used until a minute before its end.
      recorder.advance(3_539)
      await lookup.lookUp(recorder.observer)
      #expect(requests(Self.tokenURL).count == 1)
      recorder.advance(1)
      await lookup.lookUp(recorder.observer)
      #expect(requests(Self.tokenURL).count == 2 && recorder.revoked.isEmpty)
    }

    @Test func `Security 100: a lookup that fails changes nothing, and is reported once`() async throws {
      for subject in ["ann", "bob"] { #expect(accepts(subject)) }
      answer(#"{"localId": "ann"}, {"localId": "bob", "disabled": true}"#)
      await lookup.lookUp(recorder.observer)
      let revoked = recorder.revoked
      let failures: [(String, () -> Void)] = [
        ("unreachable", { fakes.on(Self.lookupURL, fails: .unreachable) }),
        ("no JSON object", { fakes.on(Self.lookupURL, "<html>") }),
        ("another response", { fakes.on(Self.lookupURL, "{}") }),
        ("another response", { fakes.on(Self.lookupURL, #"{"kind": "x", "users": []}"#) }),
        ("without localId", { answer(#"{"email": "a@example.com"}"#) }),
        ("not a number", { answer(#"{"localId": "ann", "validSince": "soon"}"#) }),
        ("status 403", { fakes.on(Self.lookupURL, status: 403, #"{"error": {"message": "PERMISSION_DENIED"}}"#) }),
        // The access token is dropped with the refusal.
        ("no access token", { fakes.on(Self.tokenURL, "{}") }),
      ]
      for (text, fail) in failures {
        fail()
        for _ in 0..<2 { await lookup.lookUp(recorder.observer) }
        #expect(recorder.reports.last?.contains(text) == true, "\(text): \(recorder.reports.last ?? "")")
        #expect(lookup.status.problem?.contains(text) == true && lookup.status.succeededAtSeconds == Self.now)
        #expect(accepts("ann") && !accepts("bob") && recorder.revoked == revoked, "\(text)")
      }
      #expect(
        recorder.reports.count == Set(failures.map(\.0)).count && recorder.reports.allSatisfy { $0.hasPrefix("E ") })
      #expect(!recorder.reports.contains { $0.contains("PRIVATE KEY") || $0.contains("access-1") })
      fakes.on(Self.tokenURL, #"{"access_token": "access-2", "expires_in": -9223372036854775808}"#)
      answer(#"{"localId": "ann"}, {"localId": "bob"}"#)
      await lookup.lookUp(recorder.observer)
      #expect(recorder.reports.last?.hasPrefix("I ") == true && lookup.status.problem == nil && accepts("bob"))
    }

    @Test func `a wrong key is reported before a user is signed in`() async {
      let lookup = SignedInUserLookup(
        UserLookup(keyFile: "key.json", url: Self.lookupURL), of: "https://id.example.com", http: fakes)
      await lookup.lookUp(recorder.observer)
      #expect(
        recorder.reports.count == 1 && recorder.reports[0].contains("key.json is not a service account's key file"))
      #expect(fakes.requests.isEmpty)
    }

    @Test func `users are kept until their last token has expired, and their number is bounded`() {
      var users = SignedInUsers(usersMax: 2)
      func accepts(_ subject: String, until end: Int64, at now: Int64 = 0) -> Bool {
        users.accepts(
          SignedInUsers.SignIn(subject: subject, uid: subject, signedInAtSeconds: 0, tokenEndsAtSeconds: end),
          nowSeconds: now)
      }
      func round(at now: Int64) -> Set<String> {
        users.beginRound(nowSeconds: now)
        return Set(users.next(10))
      }
      #expect(accepts("ann", until: 100))
      #expect(accepts("bob", until: 200))
      let ended = users.record(["bob"], [:])
      #expect(ended == ["bob"])
      // Further users are accepted; no statement about another user is forgotten for them.
      #expect(accepts("cat", until: 300))
      #expect(users.isFull && users.count == 2)
      #expect(!accepts("bob", until: 150))
      let end = 100 + UserLookupLimits.graceSeconds
      #expect(accepts("cat", until: 300, at: end))
      #expect(!users.isFull && users.count == 2)
      #expect(round(at: end) == ["bob", "cat"])
      #expect(round(at: 300 + UserLookupLimits.graceSeconds).isEmpty)
      #expect(users.count == 0)
    }

    @Test func `a key file is not printed`() throws {
      var settings = UserLookup(keyFile: "key.json", url: Self.lookupURL)
      settings.key = try Self.keyFile.get()
      var issuer = TrustedIssuer.firebase(projectID: "my-app")
      issuer.userLookup = settings
      var text = "\(issuer) \(settings)"
      dump(issuer, to: &text)
      #expect(!text.contains("PRIVATE KEY") && text.contains(Self.lookupURL))
    }
  }
#endif
