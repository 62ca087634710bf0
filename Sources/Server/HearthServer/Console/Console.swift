import HearthAccounts
import HearthConsole
import HearthCrypto
import HearthEngine
import HearthGateway
import HearthSystem
import HearthTransport
import HearthTree
import Logging
import Synchronization

/// The console of a server: its sessions, and the sources of its page's data.
final class Console: Sendable {
  let access: ConsoleAccess
  let hosts: KnownHosts
  let options: ConsoleOptions
  /// The program's version, for the page.
  let version: String
  let streams = ConsoleStreams()
  /// The store of sessions across restarts; nil when they end with the process.
  let sessions: ConsoleSessionStore?
  /// The newest lines of the log.
  let log: LogRing
  /// The samples of the metrics; nil until the server has started.
  var figures: FigureRing? { sampled.withLock { $0 } }
  private let sampled = Mutex<FigureRing?>(nil)
  /// The state of the server; nil until it has started.
  var overview: ServerOverview? { currentOverview.withLock { $0 } }
  private let currentOverview = Mutex<ServerOverview?>(nil)
  /// The checks of `hearth doctor`; nil when the program has none.
  let doctor: ConsoleDoctor?
  let backups: ConsoleBackups
  /// The path of the rules file that the server deploys to the default database at each start; nil when it has none.
  let rulesPath: String?
  /// The name of the rules file, for test files beside it.
  var rulesFile: String { rulesPath.map { AtomicFile(path: $0).name } ?? "rules.json" }
  let coverage = CoverageHistory()
  private let rulesWorkCount = Mutex(0)
  let downloads = ConsoleDownloads()
  /// The URL for this machine's browsers; nil until the console's port is open.
  private let url = Mutex<String?>(nil)
  private let audit: AuditWriter
  private let users: AccountStore
  private let logger: Logger

  init(
    _ options: ConsoleOptions, hosts: KnownHosts, access: ConsoleAccess, accounts: Accounts, log: LogRing,
    backups: ConsoleBackups, sessions: ConsoleSessionStore? = nil, rulesPath: String? = nil, version: String,
    logger: Logger
  ) {
    self.rulesPath = rulesPath
    self.sessions = sessions
    self.backups = backups
    doctor = options.examine.map { ConsoleDoctor($0) }
    self.log = log
    self.logger = logger
    (self.options, self.hosts, self.access, self.version) = (options, hosts, access, version)
    (audit, users) = (accounts.context.audit, accounts.store)
  }

  /// Sets the URL once the console's port is open.
  func opened(at url: String) { self.url.withLock { $0 = url } }

  /// Connects the started server's samples and state.
  func watch(_ ring: FigureRing, _ overview: ServerOverview) {
    sampled.withLock { $0 = ring }
    currentOverview.withLock { $0 = overview }
    ring.start()
    coverage.start(overview.services)
  }

  /// The maximum number of concurrent calls of ``rulesWork(_:)``.
  static let rulesWorkMax = 4

  /// Runs work on a rules text that a session sent. A text can take long, so few are worked on at a time.
  ///
  /// - Throws: `tooManyRequests` when too many calls are under way, and the errors of the work.
  func rulesWork<Value>(_ work: () async throws(ConsoleFailure) -> Value) async throws(ConsoleFailure) -> Value {
    let isFree = rulesWorkCount.withLock { count in
      guard count < Self.rulesWorkMax else { return false }
      count += 1
      return true
    }
    guard isFree else { throw ConsoleFailure(.tooManyRequests, "The server is evaluating other rules. Try again.") }
    defer { rulesWorkCount.withLock { $0 -= 1 } }
    return try await work()
  }

  // MARK: Access

  /// Makes a link with a key that is valid once.
  ///
  /// - Parameter name: the name of the administrator that requested it.
  func makeLink(_ role: ConsoleRole, for name: String, by client: ClientInfo) async throws(RandomnessError) -> String? {
    guard let url = url.withLock({ $0 }) else { return nil }
    let key = try access.makeKey(role, name: name, now: SystemClock.now.monotonicMilliseconds)
    await record("link for role \(role.rawValue), for \(name)", by: client)
    return "\(url)\(ConsoleResponder.prefix)/#key=\(key)"
  }

  /// Returns the console role of a user, by the account's current custom claims.
  func role(of user: UserRecord) -> ConsoleRole? {
    guard let name = options.claim, !user.isDisabled, let text = user.customAttributes,
      let claim = JSON(parsing: text.utf8)?[name]
    else { return nil }
    if claim == .bool(true) { return .administrator }
    return claim.string.flatMap(ConsoleRole.init)
  }

  /// Returns the session that a request has both halves of, if its user still has the role.
  func session(_ call: ConsoleCall, isUse: Bool) -> ConsoleSession? {
    guard let cookie = call.cookie, let token = call.token else { return nil }
    let session = access.session(
      cookie: cookie, token: token, at: call.authority, now: call.now.monotonicMilliseconds, isUse: isUse)
    guard let session, let user = session.user else { return session }
    guard isEntitled(user, to: session.role) else {
      access.end(session.id)
      return nil
    }
    return session
  }

  /// Returns true when a user still has the role, and has not been signed out everywhere since the session began.
  private func isEntitled(_ user: ConsoleUser, to role: ConsoleRole) -> Bool {
    guard let record = users.view.user(user.uid) else { return false }
    return record.cutoff.generation == user.generation && self.role(of: record) == role
  }

  /// Ends the sessions of users who no longer have their role, with their sockets and streams. Called twice a second
  /// while there are any, because no event reports a change of claims.
  func endLapsedSessions() {
    access.endLapsed { user, role in !isEntitled(user, to: role) }
  }

  // MARK: The audit trail

  /// Records a detail in the audit trail and in the log: in a cluster only the owner of the accounts keeps the trail.
  func record(_ detail: String, uid: String? = nil, by client: ClientInfo) async {
    logger.notice(
      "console",
      metadata: ["event": "\(detail.printable)", "client": "\(client.address)", "request": "\(client.requestID)"])
    await audit.record(AuditEvent(.console, uid: uid, client: client, detail: detail))
  }

  /// Records a refusal with a rate limit, so that free requests do not push older records out.
  func recordRefusal(_ detail: String, by client: ClientInfo, now: Instant) async {
    await audit.recordRefusal(AuditEvent(.consoleRefused, client: client, detail: detail), now: now)
  }
}

extension ConsoleAccess {
  /// The lookup of console credentials for sockets.
  var credentials: ConsoleCredentials {
    ConsoleCredentials(
      find: { text, now in
        guard text.utf8.starts(with: Self.credentialPrefix.utf8) else { return nil }
        guard let found = self.credential(text, now: now.monotonicMilliseconds) else {
          return .failure(CredentialError(.expiredToken, reason: "a credential of an ended console session"))
        }
        let authority: Authority =
          switch found.role {
          case .viewer: .consoleViewer(session: found.session)
          // Sockets get no access that requires a proof of presence.
          case .administrator: .consoleAdministrator(session: found.session, isPresent: false)
          }
        var verified = VerifiedCredential(
          kind: .consoleSession, authPayload: nil, authority: authority,
          expiresAtSeconds: now.wallMilliseconds / 1_000 + found.endsInSeconds)
        verified.consoleSession = found.session
        return .success(verified)
      },
      isOpen: { self.isOpen($0, now: SystemClock.now.monotonicMilliseconds) })
  }
}
