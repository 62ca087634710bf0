import HearthAccounts
import HearthConsole
import HearthCrypto
import HearthTransport
import HearthTree
import NIOHTTP1

/// The console's endpoints that open, show and end sessions.
struct ConsoleSessionEndpoints: ConsoleEndpoints {
  let context: ConsoleContext

  func signIn() async throws(ConsoleFailure) -> HTTPResponse {
    let (role, name, user) = try await proof()
    do throws(RandomnessError) {
      let (session, secrets) = try console.access.open(
        role, name: name, user: user, at: call.authority, now: call.now.monotonicMilliseconds)
      await console.record("session \(session.id) opened: \(role.rawValue), \(name)", uid: user?.uid, by: call.client)
      await console.sessions?.save()
      let members: [JSON.Member] = [.init("token", .string(secrets.token))] + members(of: session)
      let cookie = ConsoleHeaders.setCookie(secrets.cookie, at: call.authority, isEncrypted: call.isEncrypted)
      return ConsoleResponder.json(.object(members), headers: [(name: "Set-Cookie", value: cookie)])
    } catch {
      throw .unavailable
    }
  }

  /// Returns the role, name and user behind a link's key, which is used up, or behind an ID token.
  private func proof() async throws(ConsoleFailure) -> (ConsoleRole, String, ConsoleUser?) {
    guard let body = call.body else { throw .badBody }
    switch (body["key"]?.string, body["idToken"]?.string) {
    case (let key?, nil):
      guard let found = console.access.redeem(key, now: call.now.monotonicMilliseconds) else {
        await console.recordRefusal("an invalid link", by: call.client, now: call.now)
        throw ConsoleFailure(
          .unauthorized, "This link was used, or is older than 10 minutes. Run hearth console for a new one.")
      }
      return (found.role, found.name, nil)
    case (nil, let token?): return try await signIn(idToken: token)
    default: throw ConsoleFailure(.badRequest, "Send the key of a link, or an idToken.")
    }
  }

  /// `POST api/session/presence` with a link's key or an ID token: the session continues, with its user present.
  func recordPresence() async throws(ConsoleFailure) -> HTTPResponse {
    let session = try session()
    let shown: (role: ConsoleRole, name: String, user: ConsoleUser?)
    do throws(ConsoleFailure) { shown = try await proof() } catch {
      // A failed proof does not end the session, as 401 would mean to the page.
      throw error.status == .unauthorized ? ConsoleFailure(.forbidden, error.text) : error
    }
    // A session of a link takes another link, which the operator makes, and no account: a passer-by at an unlocked screen
    // could have made one. A session of an account takes that account, or a link.
    guard shown.role == session.role, shown.user == nil || session.uid == shown.user?.uid else {
      await console.recordRefusal("presence confirmed by another user", by: call.client, now: call.now)
      throw ConsoleFailure(.forbidden, "The credential belongs to another user or role than this session.")
    }
    console.access.recordPresence(in: session.id, now: call.now.monotonicMilliseconds)
    await console.record(
      "session \(session.id) (\(session.name)): \(shown.name) is there", uid: session.uid, by: call.client)
    return ConsoleResponder.json(.object([]))
  }

  /// Returns the role and name of a user who signed in a moment ago, and whose account has the operator's claim.
  private func signIn(idToken: String) async throws(ConsoleFailure) -> (ConsoleRole, String, ConsoleUser?) {
    guard console.options.claim != nil else {
      throw ConsoleFailure(
        .forbidden, "Accounts cannot open this console. Start the server with --console-claim to allow it.")
    }
    let callers = services.accounts.own.sessions.callers
    do throws(AccountError) {
      let caller = try callers.caller(idToken: idToken, now: call.now)
      try callers.requireRecentSignIn(caller, now: call.now)
      if callers.isConsoleSignIn(caller), let role = console.role(of: caller.user) {
        let user = ConsoleUser(
          uid: caller.user.uid, generation: caller.user.cutoff.generation, keyID: keyID(ofVerified: idToken))
        return (role, caller.user.email ?? caller.user.uid, user)
      }
    } catch {
      switch error.code {
      case .credentialTooOld: throw ConsoleFailure(.unauthorized, "The sign-in is too old. Sign in again.")
      case .unavailable: throw .unavailable
      default: throw ConsoleFailure(.unauthorized, "The ID token is not valid.")
      }
    }
    await console.recordRefusal(
      "a user without the claim, or a sign-in that a service account can set up", by: call.client,
      now: call.now)
    throw ConsoleFailure(.forbidden, "This account cannot open the console.")
  }

  /// Returns the id of the key that signed a token, which was verified just now; nil for a token without one.
  private func keyID(ofVerified idToken: String) -> String? {
    let nowSeconds = call.now.wallMilliseconds / 1_000
    return try? services.accounts.own.keys.verifyIDToken(idToken, nowSeconds: nowSeconds).keyID
  }

  private func members(of session: ConsoleSession) -> [JSON.Member] {
    [
      .init("role", .string(session.role.rawValue)), .init("name", .string(session.name)),
      .init("endsInSeconds", .int(session.endsInSeconds)), .init("idleSeconds", .int(session.idleSeconds)),
    ]
  }

  func shown() throws(ConsoleFailure) -> HTTPResponse {
    guard let parameters = call.parameters else { throw .badQuery }
    let session = try session(isUse: parameters["peek"] != "1")
    return ConsoleResponder.json(
      .object(
        members(of: session) + [
          .init("version", .string(console.version)), .init("emulator", .bool(services.isEmulator)),
        ]))
  }

  func signOut() async throws(ConsoleFailure) -> HTTPResponse {
    let session = try session()
    console.access.end(session.id)
    // The end is on the disk before the answer, so that no restart brings the session back.
    await console.sessions?.save()
    await console.record("session \(session.id) ended", uid: session.uid, by: call.client)
    let cookie = ConsoleHeaders.setCookie("", at: call.authority, isEncrypted: call.isEncrypted)
    return ConsoleResponder.json(.object([]), headers: [(name: "Set-Cookie", value: cookie)])
  }
}
