import HearthCrypto
import HearthEngine
import HearthPlugin
import Synchronization

/// Verifies tokens that the server did not issue: asks the verifier of a plugin or of a trusted issuer, caches its
/// answer for as long as it allows, and applies its revocations.
package final class ForeignTokens: Sendable {
  /// The dependencies on the server.
  struct Dependencies: Sendable {
    var projectID: String
    /// The verifiers that are switched on.
    var verifiers: @Sendable () -> [any TokenVerifier]
    var clock: @Sendable () -> Instant
    /// Signs out the connections that a revocation affects. Returns at once.
    var announce: RevocationHandler
    /// Records a revocation.
    var record: @Sendable (AuditEvent) async -> Void
    var notice: @Sendable (AccountsNotice) -> Void
  }

  private struct State {
    var table: ForeignTokenTable
    /// Revocations that are not announced yet, by verifier.
    var pending: [String: (revocation: TokenRevocation, serial: UInt64)] = [:]
    var isAnnouncing = false
    /// The revocations that are announced and not yet recorded.
    var unrecorded: [String: TokenRevocation] = [:]
    var isRecording = false
    /// The verifiers that were active at the last check, with their revisions.
    var known: [String: String] = [:]
    /// The lookups of signed-in users at trusted issuers, by verifier.
    var userLookups: [String: Task<Void, Never>] = [:]
    var isClosed = false
    var lastQuestion: UInt64 = 0
  }

  private let dependencies: Dependencies
  private let state: Mutex<State>

  init(_ dependencies: Dependencies, limits: ForeignTokenLimits = ForeignTokenLimits()) {
    self.dependencies = dependencies
    state = Mutex(State(table: ForeignTokenTable(limits)))
  }

  /// The result of presenting a token.
  package enum Lookup: Sendable {
    /// No verifier handles such a token.
    case unhandled
    /// The outcome, at once.
    case known(Result<VerifiedCredential, ForeignTokenFailure>)
    /// The verifier is being asked.
    case pending
  }

  /// Identifies the user of a token that the server's own keys did not sign.
  ///
  /// - Parameters:
  ///   - address: the address of the client that sent it.
  ///   - later: called on any thread when the answer is not cached. The outcome must be taken in the same event loop turn in which
  ///     the credential is registered for revocations.
  package func lookUp(
    _ token: String, from address: String, now: Instant, later: @escaping @Sendable (PendingToken) -> Void
  ) -> Lookup {
    guard let verifier = verifier(of: token) else { return .unhandled }
    let label = Self.label(of: verifier)
    let key = ForeignTokenTable.Key(verifier: verifier.name, digest: Digest(sha256: token.utf8).hex)
    let nowSeconds = now.wallMilliseconds / 1000
    let waiter = PendingToken.WaiterNumber()
    let (lookup, number) = state.withLock { state -> (ForeignTokenTable.Lookup, UInt64) in
      guard !state.isClosed else { return (.known(.undecided("cannot be called while the server stops")), 0) }
      let lookup = state.table.lookUp(
        key, from: ClientNetwork(address), nowMilliseconds: now.monotonicMilliseconds, nowSeconds: nowSeconds,
        notify: { [self] in later(PendingToken(tokens: self, waiter: waiter, verifier: label)) })
      if case .waits(let id) = lookup { waiter.set(id) }
      if case .asks(let id, _) = lookup {
        waiter.set(id)
        state.lastQuestion += 1
      }
      return (lookup, state.lastQuestion)
    }
    switch lookup {
    case .known(let outcome): return .known(Self.result(outcome, verifier: label))
    case .full:
      return .known(.failure(.undecided(verifier: label, reason: "has too many tokens to verify")))
    case .waits: return .pending
    case .asks(_, let serial):
      let question = TokenQuestion(
        id: "t\(number)", token: token, digest: key.digest, projectID: dependencies.projectID, nowSeconds: nowSeconds)
      ask(verifier, question, TokenVoucher(verifier: key.verifier, digest: key.digest, serial: serial), key)
      return .pending
    }
  }

  /// Looks a token up without asking a verifier: ``Lookup/pending`` means that one would have to be asked.
  package func lookUpCached(_ token: String, now: Instant) -> Lookup {
    guard let verifier = verifier(of: token) else { return .unhandled }
    let key = ForeignTokenTable.Key(verifier: verifier.name, digest: Digest(sha256: token.utf8).hex)
    let outcome = state.withLock {
      $0.table.cachedOutcome(
        key, nowMilliseconds: now.monotonicMilliseconds, nowSeconds: now.wallMilliseconds / 1000)
    }
    return outcome.map { .known(Self.result($0, verifier: Self.label(of: verifier))) } ?? .pending
  }

  /// Verifies a token for an administrator who asks about it, as ``lookUp(_:from:now:later:)`` does for a client.
  ///
  /// - Returns: the verifier in a sentence and its outcome; nil when no verifier handles such a token.
  package func verify(
    _ token: String, from address: String, now: Instant
  ) async -> (verifier: String, outcome: Result<VerifiedCredential, ForeignTokenFailure>)? {
    guard let verifier = verifier(of: token) else { return nil }
    let outcome: Result<VerifiedCredential, ForeignTokenFailure>? = await withCheckedContinuation { continuation in
      switch lookUp(token, from: address, now: now, later: { continuation.resume(returning: $0.take()) }) {
      case .known(let outcome): continuation.resume(returning: outcome)
      case .unhandled: continuation.resume(returning: nil)
      case .pending: break
      }
    }
    return outcome.map { (Self.label(of: verifier), $0) }
  }

  /// The verifier that names the token most exactly; the first of several.
  private func verifier(of token: String) -> (any TokenVerifier)? {
    let verifiers = dependencies.verifiers()
    guard !verifiers.isEmpty else { return nil }
    let trusted = verifiers.filter { $0 is any IssuerTokenVerifier }.flatMap(\.selection.issuers)
    guard let form = ForeignTokenForm(token, projectID: dependencies.projectID, trustedIssuers: trusted) else {
      return nil
    }
    var best: (fit: TokenSelection.Fit, verifier: any TokenVerifier)?
    for verifier in verifiers {
      let fit =
        switch form {
        case .jwt(let issuer): verifier.selection.fit(issuer: issuer)
        case .opaque: verifier.selection.fit(opaque: token)
        }
      if let fit, best.map({ $0.fit < fit }) ?? true { best = (fit, verifier) }
    }
    return best?.verifier
  }

  /// The verifier in a sentence: `plugin checker`, `issuer https://id.example.com`.
  private static func label(of verifier: any TokenVerifier) -> String { label(ofVerifier: verifier.name) }

  fileprivate static func label(ofVerifier name: String) -> String {
    ForeignTokenRevocation.issuer(ofVerifier: name) == nil ? "plugin \(name)" : name
  }

  private func ask(
    _ verifier: any TokenVerifier, _ question: TokenQuestion, _ voucher: TokenVoucher, _ key: ForeignTokenTable.Key
  ) {
    let revision = verifier.revision
    Task(executorPreference: AccountsExecutor.shared) { [dependencies] in
      let answer = await Deadline.run(milliseconds: ActivePlugins.timeoutMilliseconds) {
        try await verifier.verify(question)
      }
      let now = dependencies.clock()
      var validated = ValidatedTokenAnswer(answer, by: voucher, nowSeconds: now.wallMilliseconds / 1000)
      let current = dependencies.verifiers().first { $0.name == voucher.verifier }
      // The answer of a verifier that was switched off meanwhile is void, and that of a replaced one is not cached.
      if current == nil { validated.outcome = .undecided("was disabled") }
      if current?.revision != revision { validated.cacheMilliseconds = 0 }
      let notifications = self.state.withLock {
        $0.table.answer(
          key, validated.outcome, cacheMilliseconds: validated.cacheMilliseconds,
          nowMilliseconds: now.monotonicMilliseconds)
      }
      for notify in notifications { notify() }
    }
  }

  fileprivate func take(_ id: UInt64, verifier: String) -> Result<VerifiedCredential, ForeignTokenFailure> {
    Self.result(state.withLock { $0.table.take(id) }, verifier: verifier)
  }

  private static func result(
    _ outcome: ForeignTokenOutcome, verifier: String
  ) -> Result<VerifiedCredential, ForeignTokenFailure> {
    switch outcome {
    case .accepted(let credential): .success(credential)
    case .refused(let why): .failure(.refused(why, verifier: verifier))
    case .undecided(let reason): .failure(.undecided(verifier: verifier, reason: reason))
    }
  }

  // MARK: Revocations

  /// Revokes tokens that a verifier accepted, from the moment of the call; connections signed in with one are signed
  /// out soon. May be called on any thread; returns at once.
  package func revoke(_ revocation: TokenRevocation, of verifier: String) {
    if add(revocation, of: verifier) { Task(executorPreference: AccountsExecutor.shared) { self.announce() } }
  }

  /// Adds a revocation to those to announce.
  ///
  /// - Returns: true when the caller must announce them.
  private func add(_ revocation: TokenRevocation, of verifier: String) -> Bool {
    state.withLock { state -> Bool in
      guard !state.isClosed else { return false }
      let serial = state.table.revoke(revocation, of: verifier)
      var pending = state.pending[verifier]?.revocation ?? TokenRevocation()
      pending.formUnion(revocation)
      state.pending[verifier] = (pending, serial)
      defer { state.isAnnouncing = true }
      return !state.isAnnouncing
    }
  }

  /// Announces the revocations. Recording them is a task of its own, so that a slow disk keeps no connection signed in.
  private func announce() {
    while let (verifier, revocation, serial) = next() {
      dependencies.announce(.foreignTokens(ForeignTokenRevocation(revocation, of: verifier, serial: serial)), .revoked)
      let isFirst = state.withLock { state -> Bool in
        state.unrecorded[verifier, default: TokenRevocation()].formUnion(revocation)
        defer { state.isRecording = true }
        return !state.isRecording
      }
      if isFirst { Task(executorPreference: AccountsExecutor.shared) { await self.record() } }
    }
  }

  /// Records the revocations; those that arrive while one is being recorded become one record.
  private func record() async {
    while let (verifier, revocation) = nextUnrecorded() {
      await dependencies.record(AuditEvent(revocation, of: verifier))
    }
  }

  private func nextUnrecorded() -> (String, TokenRevocation)? {
    state.withLock { state in
      guard let (verifier, revocation) = state.unrecorded.first else {
        state.isRecording = false
        return nil
      }
      state.unrecorded[verifier] = nil
      return (verifier, revocation)
    }
  }

  private func next() -> (String, TokenRevocation, UInt64)? {
    state.withLock { state in
      guard let (verifier, next) = state.pending.first else {
        state.isAnnouncing = false
        return nil
      }
      state.pending[verifier] = nil
      return (verifier, next.revocation, next.serial)
    }
  }

  /// Applies a change of the active verifiers. Verifiers that are gone accept no more tokens; those with other
  /// settings, or of another plugin version, are asked again, also about signed-in connections.
  package func applyVerifierChanges() {
    let verifiers = dependencies.verifiers()
    let now = Dictionary(verifiers.map { ($0.name, $0.revision) }, uniquingKeysWith: { first, _ in first })
    let changed = state.withLock { state -> [String] in
      defer { state.known = now }
      let changed = state.known.filter { now[$0.key] != $0.value }.map(\.key)
      for name in changed { state.table.forget(name) }
      return changed
    }
    lookUpUsers(of: verifiers.compactMap { $0 as? any IssuerTokenVerifier }, except: changed)
    for name in changed where add(.everything, of: name) { announce() }
  }

  /// Begins the lookups of signed-in users, and ends those of issuers that are not trusted any more.
  ///
  /// - Parameter changed: the verifiers whose running lookups end.
  private func lookUpUsers(of verifiers: [any IssuerTokenVerifier], except changed: [String]) {
    let dependencies = dependencies
    state.withLock { state in
      guard !state.isClosed else { return }
      for name in changed { state.userLookups.removeValue(forKey: name)?.cancel() }
      for verifier in verifiers where verifier.lookupStatus != nil && state.userLookups[verifier.name] == nil {
        let observer = UserLookupObserver(
          nowSeconds: { dependencies.clock().wallMilliseconds / 1000 },
          revoke: { [weak self] in self?.revoke($0, of: verifier.name) },
          report: { isFailure, text in
            dependencies.notice(AccountsNotice(isFailure ? .error : .info, PlainText.line(text, lengthMax: 500)))
          })
        state.userLookups[verifier.name] = Task(executorPreference: AccountsExecutor.shared) {
          await verifier.lookUpUsers(observer)
        }
      }
    }
  }

  /// The states of the lookups of signed-in users, by trusted issuer.
  package var lookupStatuses: [(issuer: String, status: UserLookupStatus)] {
    dependencies.verifiers().compactMap { verifier in
      guard let status = (verifier as? any IssuerTokenVerifier)?.lookupStatus,
        let issuer = ForeignTokenRevocation.issuer(ofVerifier: verifier.name)
      else { return nil }
      return (issuer, status)
    }
  }

  /// The number of requests and sockets that wait for an answer.
  package var waitingCount: Int { state.withLock { $0.table.load.waiters } }

  /// Stops verifying, for a server that shuts down.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      for task in state.userLookups.values { task.cancel() }
      state.userLookups = [:]
    }
  }
}

/// A token whose outcome can be taken once.
package struct PendingToken: Sendable {
  /// The waiter's number, which is known only after its notification was registered.
  final class WaiterNumber: Sendable {
    private let id = Mutex<UInt64>(0)
    func set(_ new: UInt64) { id.withLock { $0 = new } }
    var value: UInt64 { id.withLock { $0 } }
  }

  fileprivate let tokens: ForeignTokens
  fileprivate let waiter: WaiterNumber
  fileprivate let verifier: String

  /// Returns the outcome, after applying all revocations so far.
  package func take() -> Result<VerifiedCredential, ForeignTokenFailure> {
    tokens.take(waiter.value, verifier: verifier)
  }
}

extension AuditEvent {
  /// Creates the revocation of a verifier's tokens.
  fileprivate init(_ revocation: TokenRevocation, of verifier: String) {
    let what =
      revocation.isEverything
      ? "every token"
      : [
        revocation.digests.isEmpty ? nil : "tokens: \(revocation.digests.count)",
        revocation.uids.isEmpty ? nil : "users: \(revocation.uids.count)",
      ].compactMap(\.self).joined(separator: ", ")
    self.init(
      .revoked, uid: revocation.uids.count == 1 ? revocation.uids.first : nil,
      client: ClientInfo(address: "", userAgent: "hearth", requestID: ""),
      detail: "by \(ForeignTokens.label(ofVerifier: verifier)), \(what)")
  }
}
