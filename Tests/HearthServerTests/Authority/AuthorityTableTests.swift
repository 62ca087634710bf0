import HearthCrypto
import NIOHTTP1
import Testing

@testable import HearthGateway
@testable import HearthIdentity
@testable import HearthServer
@testable import HearthTransport

/// Tests of every route × every credential × every listener against ``AuthorityTable``.
@Suite struct AuthorityTableTests {
  @Test("each route has one row in the table, and each row has a route")
  func complete() async throws {
    try await TestServices.with { test throws in
      let rows = try AuthorityRow.all.map(\.name)
      let routes = AuthorityCase.all(of: test.routes).map(\.name)
      #expect(Set(rows).subtracting(routes).sorted() == [], "rows without a route")
      #expect(Set(routes).subtracting(rows).sorted() == [], "routes without a row")
      #expect(Set(rows).count == rows.count, "one row for a route")
      #expect(Set(RESTOperation.allCases).subtracting(AuthorityCase.restSamples.keys).isEmpty)
    }
  }

  @Test("Security 91: every route allows exactly the credentials that the table names, on each address")
  func table() async throws {
    let rows = try AuthorityRow.byName
    try await TestServices.with { test throws in
      let fixture = try await AuthorityFixture(test)
      for one in AuthorityCase.all(of: test.routes) {
        let row = try #require(rows[one.name], "\(one.name)")
        for listener in [AuthorityRow.Listener.port, .folder, .node] { try await fixture.check(one, row, on: listener) }
      }
    }
  }

  @Test("the console's own address serves only the console, with the same table")
  func consolesOwnAddress() async throws {
    let rows = try AuthorityRow.byName
    var options = ConsoleOptions()
    options.address = .init(host: "127.0.0.1", port: 0)
    try await TestServices.with(console: options) { test throws in
      let fixture = try await AuthorityFixture(test)
      for one in AuthorityCase.all(of: test.routes) {
        try await fixture.check(one, try #require(rows[one.name], "\(one.name)"), on: .own)
      }
    }
  }

  @Test("only changes that open an account require presence")
  func harmlessChanges() async throws {
    try await TestServices.with { test throws in
      let fixture = try await AuthorityFixture(test)
      for (body, isHarmless) in [
        (#"{"localId":"ann","disableUser":true}"#, true), (#"{"localId":"ann","displayName":"A","photoUrl":""}"#, true),
        (#"{"localId":"ann","validSince":"5"}"#, true), (#"{"localId":"ann","deleteAttribute":["PHOTO_URL"]}"#, true),
        (#"{"localId":"ann","disableUser":false}"#, false),
        (#"{"localId":"ann","disableUser":true,"disableUser":false}"#, false),
        (#"{"localId":"ann","customAttributes":"{}"}"#, false), (#"{"localId":"ann","password":"secret-9"}"#, false),
        (#"{"localId":"ann","email":"b@example.com"}"#, false),
        (#"{"localId":"ann","phoneNumber":"+15550100"}"#, false),
        (#"{"localId":"ann","emailVerified":true}"#, false), (#"{"localId":"ann","mfa":{}}"#, false),
        (#"{"localId":"ann","deleteProvider":["phone"]}"#, false),
        (#"{"localId":"ann","custom_attributes":"{}"}"#, false),
        (#"{"localId":"ann","deleteAttribute":["PASSWORD"]}"#, false),
        (#"{"localId":"ann","linkProviderUserInfo":{}}"#, false),
        ("[]", false), ("{", false),
      ] {
        for path in ["accounts:update", "tenants/none-12345/accounts:update"] {
          let stale = try await fixture.status(
            .POST, "/.console/api/server/" + path, body, headers: fixture.staleSession(), on: .port)
          #expect((stale != 428) == isHarmless, "\(body): \(stale)")
          // The operation behind the route checks the credential again.
          let place = path == "accounts:update" ? path : "tenants/none-12345/accounts:update"
          let token = fixture.credentials["stale"]
          let behind = try await fixture.status(
            .POST, "/identitytoolkit.googleapis.com/v1/projects/hearth/" + place, body,
            headers: [("Authorization", "Bearer " + (token ?? ""))], on: .folder)
          #expect((behind != 403) == isHarmless, "\(body): \(behind)")
        }
      }
    }
  }
}

/// A row of the table.
struct AuthorityRow {
  enum Listener: String { case port, folder, node, own }

  var name: String
  var who: Set<String>
  var places: Set<String>

  struct Malformed: Error { var line: String }

  private static let words: Set<String> = [
    "operator", "console", "present", "viewer", "all", "database", "identity", "secret", "user", "nobody", "everybody",
    "emulator", "operations",
  ]

  static var all: [AuthorityRow] {
    get throws {
      var rows: [AuthorityRow] = []
      var (who, places): (Set<String>, Set<String>) = ([], [])
      for line in AuthorityTable.text.split(separator: "\n") where !line.hasPrefix("#") {
        let words = Set(line.split(separator: " ").dropFirst().map(String.init))
        if line.hasPrefix("who: ") {
          guard words.isSubset(of: Self.words) else { throw Malformed(line: String(line)) }
          who = words
        } else if line.hasPrefix("where: ") {
          guard words.allSatisfy({ Listener(rawValue: $0) != nil }) else { throw Malformed(line: String(line)) }
          places = words
        } else {
          rows.append(AuthorityRow(name: String(line), who: who, places: places))
        }
      }
      return rows
    }
  }

  static var byName: [String: AuthorityRow] {
    get throws { Dictionary(try all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
  }

  /// Returns true when a credential of this kind is accepted.
  func lets(_ credential: String) -> Bool {
    switch credential {
    case _ where who.contains("everybody"): true
    case "present": who.contains("console") || who.contains("present")
    case "stale": who.contains("console")
    default: who.contains(credential)
    }
  }
}

/// A request to a route, named as in the lists of routes.
struct AuthorityCase {
  var name: String
  var method: HTTPMethod
  var target: String
  /// The row of the listeners' list that answers the request; nil for the REST interface.
  var route: String?
  var isOfConsole = false
  /// The body: invalid JSON, so that the request has no effect, but valid JSON for data, so that rules are evaluated.
  var body = "{"
  /// The credential that the route list requires; nil when another interface's list states it.
  var requirement: Requirement?

  /// Returns the cases from the server's own lists of routes.
  static func all(of routes: ServerRoutes) -> [AuthorityCase] {
    ofRoutes(routes) + identity + rest + console + proxy
  }

  private static func ofRoutes(_ routes: ServerRoutes) -> [AuthorityCase] {
    let targets = [
      "plugins": PluginsResponder.path, "console links": ConsoleLinkResponder.path, "erasures": ErasureResponder.path,
      "cluster": ClusterResponder.path, "health": "/.health/live", "long polls": PollResponder.path,
      "emulator hub": "/emulators",
    ]
    return routes.rows.flatMap { route -> [AuthorityCase] in
      guard case .permission = route.requirement(.GET) else {
        return [
          AuthorityCase(
            name: "route \(route.name)", method: .GET, target: targets[route.name] ?? "", route: route.name,
            requirement: route.requirement(.GET))
        ]
      }
      return [HTTPMethod.GET, .POST].map { method in
        AuthorityCase(
          name: "route \(route.name) \(method.rawValue)", method: method, target: targets[route.name] ?? "",
          route: route.name, requirement: route.requirement(method))
      }
    }
  }

  private static var identity: [AuthorityCase] {
    IdentityRoute.all.flatMap { row -> [AuthorityCase] in
      let pattern = row.pattern.text
      let hosts: [EndpointAddress.Service: String] = [
        .toolkit: "identitytoolkit.googleapis.com/", .tokens: "securetoken.googleapis.com/",
        .files: "www.googleapis.com/",
        .authorization: "oauth2.googleapis.com/",
      ]
      let isPage = row.address.services.count == EndpointAddress.Service.allCases.count
      let host = isPage ? "" : row.address.services.first.flatMap { hosts[$0] } ?? ""
      let values = [
        "project": "hearth", "tenant": "none-12345", "config": "oidc.x", "rest": "x", "namespace": "shop",
        "email": "a@b.c", "provider": "google",
      ]
      let target = values.reduce("/\(host)\(pattern)?key=k") { $0.replacing("{\($1.key)}", with: $1.value) }
      let route =
        pattern == "__/firebase/init.json"
        ? "web app configuration" : isPage ? "pages of mailed links" : "identity endpoints"
      return (row.address.methods.isEmpty ? ["*"] : row.address.methods).map { method in
        AuthorityCase(
          name: "identity \(method) \(pattern)", method: method == "*" ? .POST : HTTPMethod(rawValue: method),
          target: target, route: route, requirement: row.operation.requirement)
      }
    }
  }

  static let restSamples: [RESTOperation: [(method: HTTPMethod, target: String)]] = [
    .data: samples("/a.json", .GET, .PUT, .PATCH, .POST, .DELETE), .past: samples("/a.json?at=1", .GET),
    .checksum: samples("/a.json?format=checksum", .GET), .upload: samples("/a/.upload", .POST),
    .rules: samples("/.settings/rules.json", .GET, .PUT),
    .rulesVersions: samples("/.settings/rules/versions.json", .GET, .POST),
    .rulesRollback: samples("/.settings/rules/rollback.json", .POST),
    .rulesDecisions: samples("/.settings/rules/decide.json", .POST),
    .stagedRules: samples("/.settings/rules/staged.json", .GET, .PUT, .POST, .DELETE),
    .rulesPromotion: samples("/.settings/rules/promote.json", .POST),
    .rulesets: samples("/.settings/rulesets.json", .GET, .POST),
    .rulesetLabels: samples("/.settings/ruleset_labels.json", .GET, .PUT),
    .setting: samples("/.settings/strictTriggerValidation.json", .GET, .PUT),
    .triggers: samples("/.settings/triggers/none.json", .GET, .PUT, .POST, .DELETE),
    .denial: samples("/.settings/denials/none.json", .GET), .history: samples("/.settings/history.json", .GET),
    .databaseManagement: samples("/.settings/databases.json", .GET, .POST)
      + samples("/.settings/databases/none.json", .PATCH, .DELETE),
    .databases: samples("/.inspect/databases.json", .GET), .coverage: samples("/.inspect/coverage.json", .GET),
    .receipts: samples(ReceiptList.path, .GET), .metrics: samples(MetricsPage.path, .GET),
  ]

  private static func samples(_ target: String, _ methods: HTTPMethod...) -> [(method: HTTPMethod, target: String)] {
    methods.map { ($0, target) }
  }

  private static var rest: [AuthorityCase] {
    RESTOperation.allCases.flatMap { operation in
      (restSamples[operation] ?? []).map { sample in
        AuthorityCase(
          name: "rest \(operation.rawValue) \(sample.method.rawValue)", method: sample.method, target: sample.target,
          body: operation == .data ? #"{"x":1}"# : "{")
      }
    }
  }

  private static var console: [AuthorityCase] {
    ConsoleOperation.all.map { entry in
      AuthorityCase(
        name: "console \(entry.name) \(entry.method?.rawValue ?? "*")", method: entry.method ?? .GET,
        target: "/.console/api/\(entry.name)" + (entry.isPrefix ? "x" : ""), route: "console", isOfConsole: true,
        requirement: entry.requirement)
    }
  }

  private static var proxy: [AuthorityCase] {
    ConsoleProxyTable.all.map { operation in
      let path = operation.pattern.replacing("*", with: "none").replacing("{tenant}", with: "none-12345")
      return AuthorityCase(
        name: "proxy \(operation.method) \(operation.pattern)", method: HTTPMethod(rawValue: operation.method),
        target: "/.console/api/server/\(path)", route: "console", isOfConsole: true)
    }
  }
}
