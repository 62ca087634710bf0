import Glibc
import HearthCrypto
import HearthPlugin
import HearthSystem
import HearthTree
import Synchronization

/// A plugin that runs without a server, from a copy in a temporary folder, which is removed with it.
package final class StandalonePlugin: Sendable {
  /// The transport of its messages.
  enum Carrier {
    case process(ProcessRunner, ProcessLoop, PluginRunFolder)
    case webhook(WebhookRunner)
  }

  /// The plugin's manifest.
  package let manifest: PluginManifest
  let carrier: Carrier
  private let dataDirectory: String
  private let lines: LineBox

  /// Installs the plugin into a temporary folder; it is not started yet.
  ///
  /// - Parameters:
  ///   - settings: the plugin's settings.
  ///   - secret: signs messages to a service.
  ///   - allowsPrivate: true when a service may be at a private address, and be reached without TLS.
  ///   - server: the caller's name for plugins.
  /// - Throws: ``PluginProblem`` for a plugin that cannot be installed, or lacks settings or a secret.
  package init(
    _ plugin: PluginPackage, settings: JSON, secret: WebhookSecret?, allowsPrivate: Bool, server: String
  ) throws(PluginProblem) {
    manifest = plugin.manifest
    let name = plugin.manifest.name
    dataDirectory = try Self.temporaryFolder()
    do throws(PluginProblem) {
      let plugins = PluginFolder(dataDirectory: dataDirectory)
      try plugins.add(plugin, allowsPrivate: allowsPrivate)
      try plugins.set((settings.members ?? []).map { ($0.name, $0.value) }, of: name)
      if plugin.manifest.carrier.isService {
        guard let secret else { throw PluginProblem("the plugin is a service: give its secret in a file") }
        try plugins.setSecret(secret, of: name, overlapMilliseconds: 0)
      }
      let installed = plugins.plugin(name)
      if let problem = installed.problem { throw PluginProblem(problem) }
      let setup = PluginSetup(plugin.manifest, settings: installed.settings, server: server)
      let box = LineBox()
      let report = PluginReport(event: { box.add($1) }, line: { box.add("worker \($0): \($1)") })
      lines = box
      switch plugin.manifest.carrier {
      case .process(let command):
        let runFolder = try PluginRunFolder(plugins)
        let plan = try runFolder.plan(installed, plugin.manifest, command: command)
        let loop: ProcessLoop
        do throws(PluginProcess.Problem) { loop = try ProcessLoop() } catch {
          runFolder.remove()
          throw PluginProblem(error.description)
        }
        let limits = SupervisorLimits(workerCount: plugin.manifest.requirements.workers)
        carrier = .process(ProcessRunner(setup, plan, limits: limits, loop: loop, report: report), loop, runFolder)
      case .webhook(let service):
        let policy = try service.policy(
          allowsPrivate: allowsPrivate, files: plugins.folder(of: name, version: plugin.manifest.version))
        let client = WebhookClient.client(policy, plugin.manifest.requirements.connections)
        let webhook = try WebhookClient(
          service, secrets: installed.secrets, client: client, answerBytesMax: setup.lineBytesMax)
        carrier = .webhook(
          WebhookRunner(setup, webhook, connections: plugin.manifest.requirements.connections, report: report))
      }
    } catch {
      PluginFiles.remove(dataDirectory)
      throw error
    }
  }

  var runner: any PluginRunner {
    switch carrier {
    case .process(let runner, _, _): runner
    case .webhook(let runner): runner
    }
  }

  /// The plugin's output and events, for finding mistakes.
  package var logLines: [String] { lines.all }

  /// Starts the plugin, and returns when it answers or seems not to.
  ///
  /// - Returns: the problem; nil when it answers.
  package func start() async -> String? {
    runner.start()
    await runner.waitUntilSettled(milliseconds: PluginHost.settleMilliseconds)
    if runner.health == .running { return nil }
    return lines.all.last ?? "it did not start within \(PluginHost.settleMilliseconds / 1_000) s"
  }

  /// Stops the plugin, and removes its folder.
  package func stop() async {
    await runner.stop()
    if case .process(_, let loop, let runFolder) = carrier {
      loop.stop()
      runFolder.remove()
    }
    PluginFiles.remove(dataDirectory)
  }

  private static func temporaryFolder() throws(PluginProblem) -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array("\(parent)/hearth-plugin-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw PluginProblem("cannot create a folder in \(parent): \(String(cString: strerror(errno)))")
    }
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }
}

/// A thread-safe buffer of lines, which keeps the first thousand.
private final class LineBox: Sendable {
  private static let countMax = 1_000
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { if $0.count < Self.countMax { $0.append(line) } } }
}
