import HearthAccounts
import HearthConsole
import HearthCrypto
import NIOCore
import NIOHTTP1
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// A server's listeners, with a credential of every kind.
struct AuthorityFixture {
  let test: TestServices
  private let routes: ServerRoutes
  /// Bearer tokens by the table's words; `stale` is a console administrator without recent user verification.
  let credentials: [String: String]
  private let loop: TransportLoop

  private static let host = "localhost"
  /// The age of a session in milliseconds: too old for recent user verification, and not expired.
  private static let staleMilliseconds: Int64 = 1_000_000

  init(_ test: TestServices) async throws {
    self.test = test
    routes = test.routes
    loop = TransportLoop(eventLoop: test.services.router.anyLoop, index: 0, memory: .ofTest())
    let (keys, accounts, now) = (test.setup.keys, test.setup.accounts.own, SystemClock.now)
    let nowSeconds = now.wallMilliseconds / 1_000
    let client = ClientInfo(address: "127.0.0.1", userAgent: "", requestID: "")
    let account = try await accounts.administration.serviceAccounts.createKey(
      name: "ci", by: Administrator(name: "test", client: client, now: now))
    let subject = IDTokenSubject(uid: "ann", signInProvider: "password", authTimeSeconds: nowSeconds)
    func serviceAccount(_ scopes: AdminScopes) throws -> String {
      try keys.adminTokens.mint(
        nowSeconds: nowSeconds, owner: .init(email: account.email, generation: 0), scopes: scopes, random: .system)
    }
    func console(isViewer: Bool = false, isPresent: Bool = false) throws -> String {
      try keys.adminTokens.mint(
        session: 7, isViewer: isViewer, isPresent: isPresent, nowSeconds: nowSeconds, lifetimeSeconds: 600,
        random: .system)
    }
    _ = try await test.services.databases.database(
      test.services.defaultNamespace, .allowed, on: loop.eventLoop
    ).get()
    credentials = [
      "operator": try keys.adminTokens.mint(nowSeconds: nowSeconds, random: .system),
      "present": try console(isPresent: true), "stale": try console(), "viewer": try console(isViewer: true),
      "all": try serviceAccount(.all), "database": try serviceAccount(.database),
      "identity": try serviceAccount(.identity), "secret": try #require(keys.legacySecrets.active.first),
      "user": try keys.mintIDToken(subject, issuedAtSeconds: nowSeconds), "owner": "owner",
    ]
  }

  /// Sends the request with every credential, and compares the answers with the row.
  func check(_ one: AuthorityCase, _ row: AuthorityRow, on listener: AuthorityRow.Listener) async throws {
    guard !one.target.isEmpty else { return #expect(one.requirement == .ofItsOperations && row.who == ["operations"]) }
    let probe = try request(one, [], on: listener)
    let answering = list(of: listener).routes.first { $0.responder(RoutedRequest(probe)) != nil }
    // Only a cluster node serves the cluster page; the test checks its declared requirement on a single server, too.
    let isServed = row.places.contains(listener.rawValue) && one.route != "cluster" && one.route != "emulator hub"
    let isRest = one.route == nil && listener != .own
    #expect(answering?.name == (isServed ? one.route : nil), "\(one.name) on \(listener)")
    if one.route == "cluster" { return declares(one, row) }
    guard isServed || isRest else { return }
    // Public routes and lists of operations refuse no credential; their answers depend on the operations.
    if row.who.contains("everybody") {
      return #expect(one.requirement == .nothing, "\(one.name) is open, and not said to be")
    }
    if row.who.contains("operations") { return #expect(one.requirement == .ofItsOperations, "\(one.name)") }
    for kind in ["nobody"] + credentials.keys.sorted() {
      let status = try await self.status(
        one.method, one.target, one.body, headers: try headers(kind, isOfConsole: one.isOfConsole), on: listener)
      let isRefused = [401, 403, 428].contains(status) || (row.who.contains("emulator") && status == 404)
      #expect(isRefused != row.lets(kind), "\(one.name) with \(kind) on \(listener): \(status)")
    }
  }

  private func declares(_ one: AuthorityCase, _ row: AuthorityRow) {
    guard case .permission(let permission)? = one.requirement else {
      Issue.record("\(one.name) declares no permission")
      return
    }
    for (kind, authority) in [
      ("operator", .operator(name: "x")), ("present", .consoleAdministrator(session: 1, isPresent: true)),
      ("stale", .consoleAdministrator(session: 1, isPresent: false)), ("viewer", .consoleViewer(session: 1)),
      ("all", .serviceAccount(email: "x", scopes: .all)), ("database", .serviceAccount(email: "x", scopes: .database)),
      ("identity", .serviceAccount(email: "x", scopes: .identity)), ("secret", .databaseSecret), ("user", .user),
      ("nobody", .signedOut),
    ] as [(String, Authority)] {
      #expect(authority.allows(permission) == row.lets(kind), "\(one.name) with \(kind)")
    }
  }

  /// Returns the headers of a credential: a session for the console, otherwise a bearer token.
  private func headers(_ kind: String, isOfConsole: Bool) throws -> [(String, String)] {
    switch kind {
    case "nobody": return []
    case "present" where isOfConsole: return try session(.administrator, agoMilliseconds: 0)
    case "stale" where isOfConsole: return try staleSession()
    case "viewer" where isOfConsole: return try session(.viewer, agoMilliseconds: 0)
    default: return [("Authorization", "Bearer \(credentials[kind] ?? "")")]
    }
  }

  /// Returns the headers of an administrator's session that is too old for recent user verification.
  func staleSession() throws -> [(String, String)] {
    try session(.administrator, agoMilliseconds: Self.staleMilliseconds)
  }

  private func session(_ role: ConsoleRole, agoMilliseconds: Int64) throws -> [(String, String)] {
    let (_, secrets) = try test.access.open(
      role, name: "test", at: Self.host, now: SystemClock.now.monotonicMilliseconds - agoMilliseconds)
    let cookie = ConsoleHeaders.setCookie(secrets.cookie, at: Self.host, isEncrypted: false).prefix { $0 != ";" }
    return [("Cookie", String(cookie)), (ConsoleResponder.tokenHeader, secrets.token)]
  }

  private func list(of listener: AuthorityRow.Listener) -> RouteList {
    switch listener {
    case .port, .node: routes.list(for: .port)
    case .folder: routes.list(for: .folder)
    case .own: routes.list(for: .console)
    }
  }

  private func request(
    _ one: AuthorityCase, _ headers: [(String, String)], on listener: AuthorityRow.Listener
  ) throws -> HTTPRequest {
    try request(one.method, one.target, "{", headers, on: listener)
  }

  private func request(
    _ method: HTTPMethod, _ target: String, _ body: String, _ headers: [(String, String)],
    on listener: AuthorityRow.Listener
  ) throws -> HTTPRequest {
    let address =
      listener == .folder
      ? try SocketAddress(unixDomainSocketPath: "") : try SocketAddress(ipAddress: "192.0.2.9", port: 1)
    return HTTPRequest(
      method: method, target: target,
      headers: HTTPHeaders([("Host", Self.host), ("Content-Type", "application/json")] + headers),
      body: ByteBuffer(string: method == .GET ? "" : body),
      peer: Peer(
        address: address, isEncrypted: false, clientAtOtherNode: listener == .node ? "192.0.2.9" : nil))
  }

  /// Returns the status of a request on a listener.
  func status(
    _ method: HTTPMethod, _ target: String, _ body: String, headers: [(String, String)],
    on listener: AuthorityRow.Listener
  ) async throws -> Int {
    let request = try self.request(method, target, body, headers, on: listener)
    let (list, loop) = (list(of: listener), self.loop)
    return try await loop.eventLoop.flatSubmit {
      list.respond(to: request, on: loop).map { response in
        response.stream?.value.closed()
        return Int(response.status.code)
      }
    }.get()
  }
}
