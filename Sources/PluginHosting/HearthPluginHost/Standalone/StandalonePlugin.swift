import Glibc
import HearthCrypto
import HearthPlugin
import HearthSystem
import HearthTree
import Synchronization

/// A plugin that is asked by itself, without a server: from a copy in a folder of its own, which goes with it.
package final class StandalonePlugin: Sendable {
  /// What carries its messages.
  enum Carrier {
    case process(ProcessRunner, ProcessLoop, PluginStage)
    case webhook(WebhookRunner)
  }

  /// What it says of itself.
  package let manifest: PluginManifest
  let carrier: Carrier
  private let dataDirectory: String
  private let lines: LineBox

  /// Installs the plugin into a folder of its own; nothing is started yet.
  ///
  /// - Parameters:
  ///   - settings: for the plugin.
  ///   - secret: what messages to a service are signed with.
  ///   - allowsPrivate: a service may be at a private address, and be reached without TLS.
  ///   - server: who asks, as plugins are told it.
  /// - Throws: ``PluginProblem`` for one that cannot be installed, or lacks settings or a secret.
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
        guard let secret else { throw PluginProblem("it is a service: its secret is needed, in a file") }
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
        let stage = try PluginStage(plugins)
        let plan = try stage.plan(installed, plugin.manifest, command: command)
        let loop: ProcessLoop
        do throws(PluginProcess.Problem) { loop = try ProcessLoop() } catch {
          stage.remove()
          throw PluginProblem(error.description)
        }
        let limits = SupervisorLimits(workerCount: plugin.manifest.wants.workers)
        carrier = .process(ProcessRunner(setup, plan, limits: limits, loop: loop, report: report), loop, stage)
      case .webhook(let service):
        let policy = try service.policy(
          allowsPrivate: allowsPrivate, files: plugins.folder(of: name, version: plugin.manifest.version))
        let client = WebhookCall.client(policy, plugin.manifest.wants.connections)
        let call = try WebhookCall(
          service, secrets: installed.secrets, client: client, answerBytesMax: setup.lineBytesMax)
        carrier = .webhook(
          WebhookRunner(setup, call, connections: plugin.manifest.wants.connections, report: report))
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

  /// What the plugin wrote and what became of it, for somebody who looks for a mistake.
  package var logLines: [String] { lines.all }

  /// Starts it, and returns when it answers or does not seem to.
  ///
  /// - Returns: what is wrong; nil when it answers.
  package func start() async -> String? {
    runner.start()
    await runner.untilSettled(milliseconds: PluginHost.settleMilliseconds)
    if runner.health == .running { return nil }
    return lines.all.last ?? "it did not within \(PluginHost.settleMilliseconds / 1_000) s"
  }

  /// Ends it, and takes its folder away.
  package func stop() async {
    await runner.stop()
    if case .process(_, let loop, let stage) = carrier {
      loop.stop()
      stage.remove()
    }
    PluginFiles.remove(dataDirectory)
  }

  private static func temporaryFolder() throws(PluginProblem) -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array("\(parent)/hearth-plugin-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw PluginProblem("cannot make a folder in \(parent): \(String(cString: strerror(errno)))")
    }
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }
}

/// Lines that are added from any thread; of more than a thousand, the first.
private final class LineBox: Sendable {
  private static let countMax = 1_000
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { if $0.count < Self.countMax { $0.append(line) } } }
}
