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
      Asks the hook exchange as the server does, of processes that answer at once: one request after the other, at a fixed \
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
      "The folder of a plugin that answers exchange, instead of one that answers at once.", valueName: "dir"))
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
      guard let provider = offered.withLock({ $0.providers.first }) else {
        throw ValidationError("The plugin does not run, or does not answer exchange.")
      }
      Output.line(BenchTable(results: try await measure(provider)).text)
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

  private func measure(_ provider: any SignInProvider) async throws -> [BenchResult] {
    let load = PluginLoad(provider: provider)
    let setup = plugin == nil ? "\(workers) processes" : "plugin"
    // Whatever is made with the first requests is not measured.
    _ = await load.closed(callers: 1, seconds: 1)
    let single = await load.closed(callers: 1, seconds: seconds)
    let paced = await load.paced(rate: rate, seconds: seconds)
    let most = await load.closed(callers: 32, seconds: seconds)
    return [
      result("exchange", "\(setup), one at a time", single), result("exchange", "\(setup), \(rate)/s", paced),
      result("exchange", "\(setup), 32 at a time", most),
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
