import ArgumentParser
import Glibc
import HearthPlugin
import HearthPluginHost
import HearthProgram
import HearthTree
import Synchronization

/// `hearth-bench plugins`: requests to a plugin, and the effect of a killed process.
struct PluginsBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins",
    abstract: "Measure what it costs to ask a plugin in a process of its own.",
    discussion: """
      Asks the hooks exchange and verifyToken as the server does, of processes that answer at once: one request after \
      the other, at a fixed rate, and as many as there can be. At the fixed rate it also kills one of the processes, and \
      it has a server beside it take writes at a fixed rate, with and without the requests. Latencies of fixed rates count \
      from when a request was due. With --plugin it asks a plugin of yours, and kills nothing.
      """)

  @Option(help: ArgumentHelp("Processes of the plugin.", valueName: "count"))
  var workers = 2

  @Option(help: ArgumentHelp("Requests a second at the fixed rate.", valueName: "count"))
  var rate = 5_000

  @OptionGroup var time: BenchTime

  @Option(
    help: ArgumentHelp(
      "The folder of a plugin that answers exchange or verifyToken, instead of one that answers at once.",
      valueName: "dir"))
  var plugin: String?

  @Option(help: ArgumentHelp("Settings for --plugin: a JSON object.", valueName: "file"))
  var settings: String?

  @Option(help: ArgumentHelp("Writes a second that a server takes beside the requests.", valueName: "count"))
  var writes = 200

  @OptionGroup var benchOptions: BenchOptions

  @Flag(help: .hidden)
  var answers = false

  func validate() throws {
    guard (1...16).contains(workers), (1...100_000).contains(rate), (1...100_000).contains(writes) else {
      throw ValidationError("--workers is 1 to 16, --rate and --writes 1 to 100000.")
    }
  }

  func run() async throws {
    if answers { return PluginAnswers.run() }
    let data = try Folder.makeTemporary(in: benchOptions.folder, named: "hearth-bench")
    defer { Folder.remove(data) }
    let offered = Mutex(PluginSet())
    let host = PluginHost(
      dataDirectory: data,
      .init(
        server: "hearth-bench", ownProviderIDs: [], apply: { set in offered.withLock { $0 = set } },
        log: { _, name, text in Output.note("plugin \(name): \(text)") }))
    do {
      try await install(host, below: data)
      let (provider, verifier) = offered.withLock { ($0.providers.first, $0.verifiers.first) }
      guard provider != nil || verifier != nil else {
        throw ValidationError("The plugin does not run, or answers neither exchange nor verifyToken.")
      }
      var results: [BenchResult] = []
      if let provider {
        let load = PluginLoad { _ = try await provider.answer(Self.signIn(provider)) }
        results += await measure("exchange", load)
        results += try await measureBesideWrites("exchange", load)
      }
      if let verifier {
        let load = PluginLoad { _ = try await verifier.verify(Self.token) }
        results += await measure("verify", load)
        if plugin == nil { results.append(try await measureKilling(verifier, load)) }
      }
      Output.line(BenchTable(results: results).text)
      await host.stop()
    } catch {
      await host.stop()
      throw error
    }
  }

  private func install(_ host: PluginHost, below folder: String) async throws {
    let plugins = PluginFolder(dataDirectory: folder)
    let package = try PluginPackage(try plugin ?? PluginAnswers.write(below: folder, workers: workers))
    try plugins.add(package)
    if let settings, let members = JSON(parsing: try TextFile.read(settings).utf8)?.members {
      try plugins.set(members.map { ($0.name, $0.value) }, of: package.manifest.name)
    }
    try plugins.setEnabled(package.manifest.name, true)
    await host.reload()
  }

  private static func signIn(_ provider: any SignInProvider) -> SignInRequest {
    SignInRequest(
      id: "bench", providerID: provider.manifest.id, method: .credential, operation: .signIn,
      parameters: ["key": "hk_0123456789abcdef0123456789abcdef0123456789abcdef"],
      facts: ProviderFacts(projectID: "bench", nowSeconds: 1_800_000_000))
  }

  private static let token = TokenQuestion(
    id: "bench", token: "bench_0123456789abcdef0123456789abcdef0123456789abcdef",
    digest: String(repeating: "0", count: 64),
    projectID: "bench", nowSeconds: 1_800_000_000)

  private var setup: String { plugin == nil ? "\(workers) processes" : "plugin" }

  private func measure(_ name: String, _ load: PluginLoad) async -> [BenchResult] {
    // The first requests create processes and caches and are not measured.
    _ = await load.closed(callers: 1, seconds: 1)
    let single = await load.closed(callers: 1, seconds: time.seconds)
    let paced = await load.paced(rate: rate, seconds: time.seconds)
    let most = await load.closed(callers: 32, seconds: time.seconds)
    return [
      result(name, "\(setup), one at a time", single), result(name, "\(setup), \(rate)/s", paced),
      result(name, "\(setup), 32 at a time", most),
    ]
  }

  /// Kills a plugin process, whose requests must fail, and no others.
  private func measureKilling(_ verifier: any TokenVerifier, _ load: PluginLoad) async throws -> BenchResult {
    guard case .verified(let token) = try await verifier.verify(Self.token), let process = pid_t(token.uid), process > 1
    else { throw ValidationError("The plugin did not say which process it is.") }
    let figures = await load.paced(rate: rate, seconds: time.seconds) { kill(process, SIGKILL) }
    return result("verify", "\(setup), \(rate)/s, 1 killed", figures)
  }

  private func measureBesideWrites(_ name: String, _ load: PluginLoad) async throws -> [BenchResult] {
    let server = try BenchServer(program: benchOptions.program, in: benchOptions.folder)
    defer { server.stop() }
    let target = try server.target()
    let (rate, seconds, writes) = (rate, time.seconds, writes)
    @Sendable func write() async throws -> PacedWrites.Figures {
      try await PacedWrites.run(target, rate: writes, seconds: seconds)
    }
    // The first writes create caches and rows and are not measured.
    _ = try await write()
    let alone = try await write()
    async let asked = load.paced(rate: rate, seconds: seconds)
    let beside = try await write()
    return [
      BenchResult(name: "writes", setup: "\(writes)/s", of: alone),
      BenchResult(name: "writes", setup: "\(writes)/s, beside \(rate)/s", of: beside),
      result(name, "\(setup), \(rate)/s, \(writes) writes/s", await asked),
    ]
  }

  private func result(_ name: String, _ setup: String, _ figures: PluginLoad.Figures) -> BenchResult {
    var result = BenchResult(name: name, setup: setup)
    result.rate = Double(figures.count) / figures.seconds
    result.unit = "answers/s"
    result.latency = figures.latency
    if figures.failureCount > 0 { result.note = "\(figures.failureCount) failed" }
    return result
  }
}
