import HearthCrypto
import HearthOutbound
import HearthPlugin
import HearthTree
import Synchronization

/// The regular lookup of an issuer's signed-in users by `accounts:lookup`, as a service account of the issuer.
///
/// A lookup that fails changes nothing: tokens stay valid or invalid as they were.
///
/// Source: "Using OAuth 2.0 for Server to Server Applications" and "Method: projects.accounts.lookup", in Google's
/// documentation.
final class SignedInUserLookup: Sendable {
  private static let scopes = "https://www.googleapis.com/auth/identitytoolkit"
  private static let kind = "identitytoolkit#GetAccountInfoResponse"

  /// The reason why a lookup failed, without secrets.
  private struct Failure: Error {
    var text: String
    init(_ text: String) { self.text = text }
  }

  private struct AccessToken {
    var text: String
    var endsAtSeconds: Int64
  }

  private struct State {
    var users = SignedInUsers()
    var accessToken: AccessToken?
    var succeededAtSeconds: Int64?
    var problem: String?
  }

  private let lookup: UserLookup
  private let issuer: String
  private let http: any OutboundHTTP
  private let state = Mutex(State())

  init(_ lookup: UserLookup, of issuer: String, http: any OutboundHTTP) {
    (self.lookup, self.issuer, self.http) = (lookup, issuer, http)
  }

  var status: UserLookupStatus {
    state.withLock {
      UserLookupStatus(users: $0.users.count, succeededAtSeconds: $0.succeededAtSeconds, problem: $0.problem)
    }
  }

  /// See ``SignedInUsers/accepts(_:nowSeconds:)``.
  func accepts(_ signIn: SignedInUsers.SignIn, nowSeconds: Int64) -> Bool {
    state.withLock { $0.users.accepts(signIn, nowSeconds: nowSeconds) }
  }

  /// Looks the users up at each interval until the task is cancelled. The first time is at once, so that a wrong setting
  /// is reported when the server starts.
  func run(_ observer: UserLookupObserver) async {
    while !Task.isCancelled {
      await lookUp(observer)
      try? await Task.sleep(for: .seconds(lookup.intervalSeconds))
    }
  }

  /// Looks the users up once, and revokes the tokens of those that the issuer has disabled, deleted or signed out.
  func lookUp(_ observer: UserLookupObserver) async {
    var problem: String?
    do throws(Failure) {
      let token = try await accessToken(nowSeconds: observer.nowSeconds())
      state.withLock { $0.users.beginRound(nowSeconds: observer.nowSeconds()) }
      for _ in 0..<UserLookupLimits.requestsMax {
        let subjects = state.withLock { $0.users.next(UserLookupLimits.batchUsersMax) }
        if subjects.isEmpty { break }
        let accounts = try await accounts(of: subjects, token)
        let ended = state.withLock { $0.users.record(subjects, accounts) }
        if !ended.isEmpty { observer.revoke(TokenRevocation(uids: ended)) }
      }
      if state.withLock({ $0.users.isFull }) {
        problem = "more than \(UserLookupLimits.usersMax) users are signed in; some are not looked up"
      }
    } catch {
      problem = error.text
    }
    let before = state.withLock { state in
      if problem == nil { state.succeededAtSeconds = observer.nowSeconds() }
      defer { state.problem = problem }
      return state.problem
    }
    if let problem, problem != before {
      observer.report(
        true,
        "users of the issuer \(issuer) cannot be looked up, so that users who are disabled there stay signed in until "
          + "their tokens expire: \(problem)")
    } else if problem == nil, before != nil {
      observer.report(false, "users of the issuer \(issuer) are looked up again")
    }
  }

  private func accessToken(nowSeconds: Int64) async throws(Failure) -> String {
    if let token = state.withLock({ $0.accessToken }), nowSeconds < token.endsAtSeconds { return token.text }
    guard let account = ServiceAccountClient(keyFile: lookup.key),
      let assertion = account.assertion(scopes: Self.scopes, nowSeconds: nowSeconds)
    else { throw Failure("\(lookup.keyFile) is not a service account's key file") }
    let form = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)]
    let answer = try await post(
      account.tokenURL, [OutboundHeader("Content-Type", "application/x-www-form-urlencoded")],
      Array(ProviderHTTP.form(form).utf8))
    guard let text = answer["access_token"]?.string, !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw Failure("the token endpoint returned no access token") }
    // Renewed a minute before its end; a token without a stated end is used once.
    let lifetime = min(max(60, answer["expires_in"]?.int ?? 60), 3_660) - 60
    state.withLock { $0.accessToken = AccessToken(text: text, endsAtSeconds: nowSeconds + lifetime) }
    return text
  }

  private func accounts(
    of subjects: [String], _ token: String
  ) async throws(Failure) -> [String: SignedInUsers.Account] {
    let body: JSON = ["localId": .array(subjects.map { .string($0) })]
    let headers = [
      OutboundHeader("Content-Type", "application/json"), OutboundHeader("Authorization", "Bearer \(token)"),
    ]
    let answer = try await post(lookup.url, headers, body.text())
    // Users that are missing in a response count as deleted, so another server's response must not pass for one.
    guard answer["kind"]?.string == Self.kind, let users = (answer["users"] ?? .array([])).array else {
      throw Failure("the lookup returned another response")
    }
    var accounts: [String: SignedInUsers.Account] = [:]
    for user in users {
      guard let subject = user["localId"]?.string else { throw Failure("the lookup returned a user without localId") }
      var account = SignedInUsers.Account(isClosed: user["disabled"]?.bool ?? false)
      if let since = user["validSince"] {
        guard let seconds = since.int ?? since.string.flatMap({ Int64($0) }) else {
          throw Failure("the lookup returned a user whose validSince is not a number")
        }
        account.validSinceSeconds = seconds
      }
      accounts[subject] = account
    }
    return accounts
  }

  /// Sends a request and returns the JSON object of the response.
  private func post(_ url: String, _ headers: [OutboundHeader], _ body: [UInt8]) async throws(Failure) -> JSON {
    let request = OutboundRequest(
      method: .post, url: url,
      headers: headers + [OutboundHeader("Accept", "application/json"), OutboundHeader("User-Agent", "hearth")],
      body: body, responseSizeBytesMax: UserLookupLimits.responseBytesMax)
    let response: OutboundResponse
    do throws(OutboundError) { response = try await http.send(request) } catch { throw Failure("\(error)") }
    guard response.status == 200 else {
      // An access token that is refused is not used again.
      state.withLock { $0.accessToken = nil }
      throw Failure("the issuer returned status \(response.status)")
    }
    guard let json = JSON(parsing: response.body), json.members != nil else {
      throw Failure("the issuer returned no JSON object")
    }
    return json
  }
}
