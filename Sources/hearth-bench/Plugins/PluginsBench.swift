import ArgumentParser
import Glibc
import HearthPlugin
import HearthPluginHost
import HearthProgram
import HearthTree
import Synchronization

/// `hearth-bench plugins`
struct PluginsBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins",
    abstract: "Measure what it costs to ask a plugin in a process of its own.",
    discussion: """
      Asks the hooks exchange and verifyToken as the server does, of processes that answer at once: one request after the other, at a fixed \
      rate, and as many as there can be. Latencies of the fixed rate count from when a request was due. With --plugin it \
      asks a plugin of yours.
      """)

  @Option(help: ArgumentHelp("Processes of the plugin.", valueName: "count"))
  var workers = 2

  @Option(help: ArgumentHelp("Requests a second at the fixed rate.", valueName: "count"))
  var rate = 5_000

  @Option(help: ArgumentHelp("How long each part takes.", valueName: "seconds"))
  var seconds = 5

  @Option(
    help: ArgumentHelp(
      "The folder of a plugin that answers exchange or verifyToken, instead of one that answers at once.",
      valueName: "dir"))
  var plugin: String?

  @Option(help: ArgumentHelp("Settings for --plugin: a JSON object.", valueName: "file"))
  var settings: String?

  @Flag(help: .hidden)
  var answers = false

  func validate() throws {
    guard (1...16).contains(workers), rate > 0, seconds > 0 else {
      throw ValidationError("--workers is 1 to 16; --rate and --seconds are more than 0.")
    }
  }

  func run() async throws {
    if answers { return PluginAnswers.run() }
    let folder = try Folder.makeTemporary()
    defer { Folder.remove(folder) }
    let offered = Mutex(PluginSet())
    let host = PluginHost(
      dataDirectory: folder,
      .init(
        server: "hearth-bench", ownProviderIDs: [], apply: { set in offered.withLock { $0 = set } },
        log: { _, name, text in Output.note("plugin \(name): \(text)") }))
    do {
      try await install(host, below: folder)
      let (provider, verifier) = offered.withLock { ($0.providers.first, $0.verifiers.first) }
      guard provider != nil || verifier != nil else {
        throw ValidationError("The plugin does not run, or answers neither exchange nor verifyToken.")
      }
      var results: [BenchResult] = []
      if let provider { results += await measure("exchange") { _ = try await provider.answer(Self.signIn(provider)) } }
      if let verifier { results += await measure("verify") { _ = try await verifier.verify(Self.token) } }
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

  private func measure(_ name: String, _ ask: @escaping @Sendable () async throws -> Void) async -> [BenchResult] {
    let load = PluginLoad(ask: ask)
    let setup = plugin == nil ? "\(workers) processes" : "plugin"
    // Whatever is made with the first requests is not measured.
    _ = await load.closed(callers: 1, seconds: 1)
    let single = await load.closed(callers: 1, seconds: seconds)
    let paced = await load.paced(rate: rate, seconds: seconds)
    let most = await load.closed(callers: 32, seconds: seconds)
    return [
      result(name, "\(setup), one at a time", single), result(name, "\(setup), \(rate)/s", paced),
      result(name, "\(setup), 32 at a time", most),
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
