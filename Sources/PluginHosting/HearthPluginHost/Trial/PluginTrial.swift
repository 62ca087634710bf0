import Glibc
import HearthCrypto
import HearthPlugin
import HearthSystem
import HearthTree

/// A test of a plugin against the contract, without a server.
package final class PluginTrial: Sendable {
  /// A result of one check.
  package struct Finding: Sendable, Equatable {
    /// The hook; empty for the plugin as a whole.
    package var hook: String
    /// The name of the check.
    package var name: String
    /// The problem; nil when the check passed.
    package var problem: String?
  }

  private let plugin: StandalonePlugin
  private var runner: any PluginRunner { plugin.runner }
  private let samples: TrialSamples
  private let examples: [PluginTrialExample]
  /// The number of concurrent requests.
  private static let parallelCount = 64
  private static let deadlineMilliseconds: Int64 = 10_000
  /// The deadline for all concurrent requests together: a plugin that answers one by one needs the time of all of them.
  private static let parallelDeadlineMilliseconds: Int64 = 60_000

  /// Installs the plugin into a temporary folder, which is removed with the trial.
  ///
  /// - Parameters:
  ///   - settings: the plugin's settings.
  ///   - secret: signs messages to a service.
  ///   - allowsPrivate: true when a service may be at a private address, and be reached without TLS.
  /// - Throws: ``PluginProblem`` for a folder that cannot be installed.
  package init(
    _ folder: String, settings: JSON, secret: WebhookSecret? = nil, allowsPrivate: Bool = false
  ) throws(PluginProblem) {
    let package = try PluginPackage(folder)
    samples = TrialSamples(manifest: package.manifest)
    examples = try PluginTrialExample.read(from: folder, samples)
    plugin = try StandalonePlugin(
      package, settings: settings, secret: secret, allowsPrivate: allowsPrivate, server: "hearth plugins test")
  }

  /// The plugin's output and events, for finding mistakes.
  package var logLines: [String] { plugin.logLines }

  /// Runs all checks, one after the other.
  package func run(_ report: @Sendable (Finding) -> Void) async -> Bool {
    var isGood = true
    func note(_ hook: PluginHook?, _ name: String, _ problem: String?) {
      isGood = isGood && problem == nil
      report(Finding(hook: hook?.rawValue ?? "", name: name, problem: problem))
    }
    let problem = await plugin.start()
    let isRunning = problem == nil
    note(nil, "sends hello", problem)
    if isRunning {
      for hook in plugin.manifest.hooks { await check(hook) { note(hook, $0, $1) } }
      for example in examples {
        note(example.hook, example.name, example.problem(await ask(example.hook, example.input)))
      }
      for (name, problem) in await checkPlugin() { note(nil, name, problem) }
    }
    await plugin.stop()
    if case .process = plugin.carrier, isRunning {
      note(
        nil, "ends by itself when it is stopped",
        logLines.contains { $0.contains("is killed") } ? "it was killed" : nil)
    }
    return isGood
  }

  private func ask(_ hook: PluginHook, _ input: JSON, milliseconds: Int64? = nil) async -> PluginOutcome {
    await runner.ask(hook, input, milliseconds: milliseconds ?? Self.deadlineMilliseconds)
  }

  // MARK: One hook

  private func check(_ hook: PluginHook, _ note: (String, String?) -> Void) async {
    note("a plain input", TrialSamples.problem(hook, await ask(hook, samples.input(hook))))
    note("unknown members", TrialSamples.problem(hook, await ask(hook, samples.futureInput(hook))))
    note("an input of 200 KB", Self.survived(hook, await ask(hook, samples.largeInput(hook))))
    for bad in samples.badInputs(hook) { note(bad.name, Self.survived(hook, await ask(hook, bad.input))) }
    note("\(Self.parallelCount) requests at once", await askInParallel(hook))
    note("a request that is cancelled", await askAndCancel(hook))
    note("a deadline that passes", await askTooShortly(hook))
  }

  /// Returns the problem of an outcome for an input that no server sends: a reported error is as good as an answer.
  private static func survived(_ hook: PluginHook, _ outcome: PluginOutcome) -> String? {
    switch outcome {
    case .failed: return nil
    case .output(let output):
      if hook == .exchange, let answer = try? output.decoded(as: SignInAnswer.self) {
        guard case .refused = answer else { return "accepted the sign-in" }
      }
      if hook == .checkPassword, let answer = try? output.decoded(as: PasswordCheckAnswer.self), answer != .wrong {
        return "accepted the sign-in"
      }
      if hook == .verifyToken, let answer = try? output.decoded(as: TokenAnswer.self) {
        guard case .refused = answer else { return "accepted the sign-in" }
      }
      return TrialSamples.problem(hook, outcome)
    case .late, .died, .overloaded, .down, .unreachable, .unusable: return outcome.text
    }
  }

  private func askInParallel(_ hook: PluginHook) async -> String? {
    let input = samples.input(hook)
    return await withTaskGroup(of: String?.self) { group in
      for _ in 0..<Self.parallelCount {
        group.addTask {
          TrialSamples.problem(
            hook, await self.ask(hook, input, milliseconds: Self.parallelDeadlineMilliseconds))
        }
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

  private func checkPlugin() async -> [(String, String?)] {
    guard let hook = plugin.manifest.hooks.first else { return [] }
    return switch plugin.carrier {
    case .process(let runner, _, _): await checkProcess(hook, runner)
    case .webhook(let runner): await checkService(hook, runner)
    }
  }

  private static let messageOfTheFuture = Array("{\"messageOfTheFuture\":{\"a\":1}}\n".utf8)

  private func checkProcess(_ hook: PluginHook, _ runner: ProcessRunner) async -> [(String, String?)] {
    var found: [(String, String?)] = []
    runner.send(Self.messageOfTheFuture)
    found.append(("an unknown message", TrialSamples.problem(hook, await ask(hook, samples.input(hook)))))
    let faults = runner.faultCount
    found.append(("only messages on standard output", faults == 0 ? nil : "\(faults) lines are not messages"))
    found.append(("restarts after a kill during a request", await killAndAsk(hook, runner)))
    return found
  }

  private func killAndAsk(_ hook: PluginHook, _ runner: ProcessRunner) async -> String? {
    let input = samples.input(hook)
    let asking = Task { await ask(hook, input) }
    for process in runner.processIDs { kill(-process, SIGKILL) }
    _ = await asking.value
    var outcome = await ask(hook, input)
    // A process that has ended may still get requests until its end is noticed.
    for _ in 0..<3 where outcome == .died { outcome = await ask(hook, input) }
    return TrialSamples.problem(hook, outcome)
  }

  private func checkService(_ hook: PluginHook, _ runner: WebhookRunner) async -> [(String, String?)] {
    let (client, now) = (runner.client, Clock.wallMilliseconds / 1_000)
    let secrets = client.secrets.map(\.secret)
    _ = await client.post(
      Self.messageOfTheFuture, named: "future", signedWith: secrets, seconds: now,
      milliseconds: Self.deadlineMilliseconds)
    var found = [("an unknown message", TrialSamples.problem(hook, await ask(hook, samples.input(hook))))]
    let request = PluginRequest(
      id: UInt64(Int32.max), hook: hook, deadlineMilliseconds: Self.deadlineMilliseconds, input: samples.input(hook))
    let body = HostMessage.request(request).json.text()
    let stranger = try? WebhookSecret(random: .system)
    let forged: [(String, [WebhookSecret], Int64)] = [
      ("a message without a signature", [], now),
      ("a message with a wrong signature", [stranger].compactMap(\.self), now),
      ("a message of an hour ago", secrets, now - 3_600),
    ]
    for (name, secrets, seconds) in forged {
      let result = await client.post(
        body, named: "forged", signedWith: secrets, seconds: seconds, milliseconds: Self.deadlineMilliseconds)
      switch result {
      case .success(let response):
        found.append((name, (400..<500).contains(response.status) ? nil : "was answered status \(response.status)"))
      case .failure(let failure): found.append((name, failure.outcome.text))
      }
    }
    return found
  }
}
