import Glibc
import HearthPlugin
import HearthSystem
import HearthTree
import Synchronization

/// Holds a plugin against the contract, without a server.
package final class PluginTrial: Sendable {
  /// One thing that was looked at.
  package struct Finding: Sendable, Equatable {
    /// The hook, or nothing for the plugin as a whole.
    package var hook: String
    /// What was looked at.
    package var name: String
    /// What is wrong; nil when nothing is.
    package var problem: String?
  }

  private let plugin: PluginPackage
  private let runner: PluginRunner
  private let samples: TrialSamples
  private let examples: [TrialExample]
  private let loop: ProcessLoop
  private let stage: PluginStage
  private let dataDirectory: String
  private let lines: LineBox
  /// Requests that are made at once.
  private static let parallelCount = 64
  private static let deadlineMilliseconds: Int64 = 10_000

  /// Installs the plugin into a folder of its own, which goes with the trial.
  ///
  /// - Parameter settings: for the plugin.
  /// - Throws: ``PluginProblem`` for a folder that cannot be installed.
  package init(_ folder: String, settings: JSON) throws(PluginProblem) {
    plugin = try PluginPackage(folder)
    samples = TrialSamples(manifest: plugin.manifest)
    examples = try TrialExample.read(from: folder, samples)
    dataDirectory = try Self.temporaryFolder()
    let plugins = PluginFolder(dataDirectory: dataDirectory)
    try plugins.add(plugin)
    try plugins.set((settings.members ?? []).map { ($0.name, $0.value) }, of: plugin.manifest.name)
    let installed = plugins.plugin(plugin.manifest.name)
    if let problem = installed.problem { throw PluginProblem(problem) }
    stage = try PluginStage(plugins)
    let setup = PluginSetup(
      plugin.manifest, plan: try stage.plan(installed, plugin.manifest), settings: installed.settings,
      server: "hearth plugins test")
    do throws(PluginProcess.Problem) { loop = try ProcessLoop() } catch {
      throw PluginProblem(error.description)
    }
    let box = LineBox()
    runner = PluginRunner(
      setup, loop: loop, report: .init(event: { box.add($1) }, line: { box.add("worker \($0): \($1)") }))
    lines = box
  }

  /// What the plugin wrote and what became of it, for somebody who looks for a mistake.
  package var logLines: [String] { lines.all }

  /// Looks at everything, one after the other.
  package func run(_ tell: @Sendable (Finding) -> Void) async -> Bool {
    var isGood = true
    func note(_ hook: PluginHook?, _ name: String, _ problem: String?) {
      isGood = isGood && problem == nil
      tell(Finding(hook: hook?.rawValue ?? "", name: name, problem: problem))
    }
    runner.start()
    await runner.untilSettled(milliseconds: 10_000)
    let isRunning = runner.health == .running
    note(nil, "says hello", isRunning ? nil : lines.all.last ?? "it did not within 10 s")
    if isRunning {
      for hook in plugin.manifest.hooks { await look(at: hook) { note(hook, $0, $1) } }
      for example in examples {
        note(example.hook, example.name, example.problem(await ask(example.hook, example.input)))
      }
      for (name, problem) in await lookAtWhole() { note(nil, name, problem) }
    }
    await runner.stop()
    if isRunning {
      note(
        nil, "ends by itself when it is drained",
        lines.all.contains { $0.contains("is killed") } ? "it was killed" : nil)
    }
    loop.stop()
    stage.remove()
    PluginFiles.remove(dataDirectory)
    return isGood
  }

  private func ask(_ hook: PluginHook, _ input: JSON, milliseconds: Int64? = nil) async -> PluginOutcome {
    await runner.ask(hook, input, milliseconds: milliseconds ?? Self.deadlineMilliseconds)
  }

  // MARK: One hook

  private func look(at hook: PluginHook, _ note: (String, String?) -> Void) async {
    note("a plain input", TrialSamples.problem(hook, await ask(hook, samples.input(hook))))
    note("members of the future", TrialSamples.problem(hook, await ask(hook, samples.futureInput(hook))))
    note("an input of 200 KB", Self.survived(hook, await ask(hook, samples.largeInput(hook))))
    for bad in samples.badInputs(hook) { note(bad.name, Self.survived(hook, await ask(hook, bad.input))) }
    note("\(Self.parallelCount) requests at once", await askInParallel(hook))
    note("a request that is cancelled", await askAndCancel(hook))
    note("a deadline that passes", await askTooShortly(hook))
  }

  /// An error is as good as an answer, where the input is none that a server sends.
  private static func survived(_ hook: PluginHook, _ outcome: PluginOutcome) -> String? {
    switch outcome {
    case .failed: return nil
    case .output(let output):
      if hook == .exchange, let answer = try? output.decoded(as: SignInAnswer.self) {
        guard case .refused = answer else { return "let somebody in" }
      }
      if hook == .checkPassword, let answer = try? output.decoded(as: PasswordCheckAnswer.self), answer != .wrong {
        return "let somebody in"
      }
      return TrialSamples.problem(hook, outcome)
    case .late, .died, .overloaded, .down: return outcome.text
    }
  }

  private func askInParallel(_ hook: PluginHook) async -> String? {
    let input = samples.input(hook)
    return await withTaskGroup(of: String?.self) { group in
      for _ in 0..<Self.parallelCount {
        group.addTask { TrialSamples.problem(hook, await self.ask(hook, input)) }
      }
      return await group.compactMap(\.self).first { _ in true }
    }
  }

  private func askAndCancel(_ hook: PluginHook) async -> String? {
    let input = samples.input(hook)
    let task = Task { await ask(hook, input) }
    task.cancel()
    _ = await task.value
    return TrialSamples.problem(hook, await ask(hook, input))
  }

  private func askTooShortly(_ hook: PluginHook) async -> String? {
    let input = samples.input(hook)
    _ = await ask(hook, input, milliseconds: 1)
    return TrialSamples.problem(hook, await ask(hook, input))
  }

  // MARK: The whole

  private func lookAtWhole() async -> [(String, String?)] {
    guard let hook = plugin.manifest.hooks.first else { return [] }
    var found: [(String, String?)] = []
    runner.send(Array("{\"messageOfTheFuture\":{\"a\":1}}\n".utf8))
    found.append(("a message of the future", TrialSamples.problem(hook, await ask(hook, samples.input(hook)))))
    let faults = runner.faultCount
    found.append(("nothing but messages on standard output", faults == 0 ? nil : "\(faults) lines are none"))
    found.append(("killed in a request, it comes back", await killAndAsk(hook)))
    return found
  }

  private func killAndAsk(_ hook: PluginHook) async -> String? {
    let input = samples.input(hook)
    let asking = Task { await ask(hook, input) }
    for process in runner.processIDs { kill(-process, SIGKILL) }
    _ = await asking.value
    var outcome = await ask(hook, input)
    // Until its end is noticed, a process that is gone may still be asked.
    for _ in 0..<3 where outcome == .died { outcome = await ask(hook, input) }
    return TrialSamples.problem(hook, outcome)
  }

  private static func temporaryFolder() throws(PluginProblem) -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array("\(parent)/hearth-plugins-test-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw PluginProblem("cannot make a folder in \(parent): \(String(cString: strerror(errno)))")
    }
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }
}

/// Lines that are added from any thread.
private final class LineBox: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
