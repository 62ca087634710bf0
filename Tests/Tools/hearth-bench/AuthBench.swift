import ArgumentParser
import HearthProgram
import HearthServer
import HearthTransport
import HearthTree
import NIOCore

/// The command `hearth-bench auth`: the cost of sign-ins, for their clients and for the server's other clients.
struct AuthBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "auth",
    abstract: "Measure sign-ins, refreshes and token checks, and database events beside a storm of sign-ins.",
    discussion: """
      Starts a server of its own on loopback, with a data folder that goes with it. Passwords are hashed at the cost \
      of --cost, as a server with that setting does it. Client and server share this machine's processors. The last \
      line's note says by which factor the 99th percentile of the events' latency moved.
      """)

  enum Cost: String, CaseIterable, ExpressibleByArgument { case standard, small }

  @Option(help: "The cost of a password hash: standard or small.")
  var cost = Cost.standard

  @Option(help: ArgumentHelp("Hashes computed at once; by processors and memory otherwise.", valueName: "count"))
  var slots: Int?

  @Option(help: "Clients that sign in at once, each with an account of its own.")
  var clients = 8

  @Option(help: "How long each load lasts.")
  var durationSeconds = 5.0

  @OptionGroup var benchOptions: BenchOptions

  func validate() throws {
    guard slots.map((1...1_024).contains) ?? true else { throw ValidationError("--slots must be 1 to 1024.") }
    guard (1...256).contains(clients) else { throw ValidationError("--clients must be 1 to 256.") }
    try LoadDuration.check(seconds: durationSeconds)
  }

  func run() async throws {
    OpenFiles.raiseLimit()
    Output.line("running tokens …")
    var results = try VerifyScenario.run()
    let server = try BenchServer(
      program: benchOptions.program, in: benchOptions.folder, files: ["accounts.json": configuration],
      options: { folder in ["--auth-config", folder + "/accounts.json"] })
    defer { server.stop() }
    let target = try server.target()
    Output.line("making \(clients) accounts …")
    let users = try await AuthUsers.make(clients, of: target)
    for (name, requests, unit) in [
      ("sign-ins", users.signIns, "sign-ins/s"), ("refreshes", users.refreshes, "refreshes/s"),
    ] {
      Output.line("running \(name) …")
      results.append(try await load(name, requests, unit, target))
    }
    Output.line("running events …")
    let (seconds, signIns) = (durationSeconds, users.signIns)
    results += try await BenchLoop.run { loop in
      let scenario = EventStormScenario(
        sockets: BenchSockets(target: target, loop: loop), signIns: signIns, seconds: seconds)
      // Retains the scenario until its end, because the callbacks do not.
      return scenario.run().assumeIsolated().always { _ in scenario.end() }.nonisolated()
    }
    Output.line(BenchTable(results: results).text)
  }

  private var configuration: String {
    let slots = slots.map { "\"passwordSlots\": \($0), " } ?? ""
    return "{ \(slots)\"passwordCost\": \"\(cost.rawValue)\", \"signIn\": { \"password\": true } }"
  }

  private func load(
    _ name: String, _ requests: [BenchHTTP.Request], _ unit: String, _ target: BenchTarget
  ) async throws -> BenchResult {
    let seconds = durationSeconds
    let setup = name == "sign-ins" ? "\(requests.count) clients, \(cost.rawValue) cost" : "\(requests.count) clients"
    return try await BenchLoop.run { loop in
      let load = RequestLoad(target: target, loop: loop, requests: requests)
      return load.start().assumeIsolated().flatMap {
        let done = loop.makePromise(of: BenchResult.self)
        loop.after(seconds: seconds) { load.stop(name: name, setup: setup, unit: unit).cascade(to: done) }
        return done.futureResult
      }.nonisolated()
    }
  }
}

/// The accounts that sign in during the load.
private struct AuthUsers {
  var signIns: [BenchHTTP.Request]
  var refreshes: [BenchHTTP.Request]

  private static let password = "a bench password"
  private static let path = "/identitytoolkit.googleapis.com/v1/accounts:"

  static func make(_ count: Int, of target: BenchTarget) async throws -> AuthUsers {
    var users = AuthUsers(signIns: [], refreshes: [])
    for index in 0..<count {
      let body =
        "{\"email\":\"bench\(index)@example.com\",\"password\":\"\(password)\",\"returnSecureToken\":true}"
      let answer = try await BenchHTTP.ask(.init(path: path + "signUp?key=bench", body: body), of: target)
      guard let bytes = answer.body?.readableBytesView, let token = JSON(parsing: bytes)?["refreshToken"]?.string else {
        throw BenchServer.Failure(description: "the server made no account: it answered with status \(answer.status)")
      }
      users.signIns.append(.init(path: path + "signInWithPassword?key=bench", body: body))
      users.refreshes.append(
        .init(
          path: "/securetoken.googleapis.com/v1/token?key=bench", contentType: "application/x-www-form-urlencoded",
          body: "grant_type=refresh_token&refresh_token=\(token)"))
    }
    return users
  }
}
