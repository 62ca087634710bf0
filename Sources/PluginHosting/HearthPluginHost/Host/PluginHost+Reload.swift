import Dispatch
import HearthPlugin
import HearthTree
import Synchronization

/// Reconciling the running plugins with the folder.
extension PluginHost {
  /// A plugin that was started while the folder was read.
  private struct Started {
    let plugin: InstalledPlugin
    let manifest: PluginManifest
    let runner: any PluginRunner
    /// The version that runs in its place meanwhile; nil when there is none.
    let former: Entry?
  }

  func read(restarting name: String?, waits: Bool) async {
    let plugins = await Self.onOwnThread { [folder] in folder.plugins() }
    let former = state.withLock { $0.entries }
    var (entries, problems): ([String: Entry], [String: String]) = ([:], [:])
    var started: [Started] = []
    var taken: [PluginManifest] = []
    // A running server does not call these plugins: commands that read rules files start them.
    var resting: Set<String> = []
    for plugin in plugins where plugin.record?.isEnabled == true {
      guard let manifest = plugin.manifest, plugin.problem == nil else {
        problems[plugin.name] = plugin.problem ?? "the plugin has no manifest"
        continue
      }
      guard manifest.hooks.contains(where: \.isCalledByServer) else {
        resting.insert(plugin.name)
        continue
      }
      if let conflict = conflict(of: manifest, with: taken) ?? tokenConflict(of: plugin, among: plugins, taken) {
        problems[plugin.name] = conflict
        continue
      }
      taken.append(manifest)
      if let entry = former[plugin.name], entry.plugin == plugin, name != plugin.name {
        entries[plugin.name] = entry
        continue
      }
      do throws(PluginProblem) {
        let runner = try await runner(plugin, manifest)
        started.append(Started(plugin: plugin, manifest: manifest, runner: runner, former: former[plugin.name]))
      } catch {
        problems[plugin.name] = error.description
      }
    }
    for one in started { one.runner.start() }
    if waits {
      await withTaskGroup(of: Void.self) { group in
        for one in started {
          group.addTask { await one.runner.waitUntilSettled(milliseconds: Self.settleMilliseconds) }
        }
      }
    }
    var ending = former.filter { entries[$0.key] == nil }.mapValues(\.handle.runner)
    for one in started {
      let (entry, over, problem) = adopt(one)
      entries[one.plugin.name] = entry
      problems[one.plugin.name] = problem
      ending[one.plugin.name] = over
    }
    for problem in problems { environment.log(true, problem.key, "is not running: \(problem.value)") }
    state.withLock { [entries, problems] state in (state.entries, state.problems) = (entries, problems) }
    let closed = plugins.filter {
      $0.record?.isEnabled == true && entries[$0.name] == nil && !resting.contains($0.name)
    }
    environment.apply(Self.offer(entries, closed: closed))
    await withTaskGroup(of: Void.self) { group in
      for runner in ending.values { group.addTask { await runner.stop() } }
    }
  }

  /// Makes a started plugin the running one, unless it does not answer and the former one does.
  private func adopt(_ started: Started) -> (Entry, over: (any PluginRunner)?, problem: String?) {
    let name = started.plugin.name
    guard let former = started.former else {
      let handle = PluginHandle(name, started.runner, notice: notice(of: name))
      return (Entry(plugin: started.plugin, manifest: started.manifest, handle: handle), nil, nil)
    }
    if started.runner.health != .running, former.handle.runner.health == .running {
      return (
        former, started.runner,
        "version \(started.manifest.version) does not start with these settings; version \(former.manifest.version) keeps running"
      )
    }
    let over = former.handle.replace(by: started.runner)
    return (Entry(plugin: started.plugin, manifest: started.manifest, handle: former.handle), over, nil)
  }

  /// Returns the reason why a plugin cannot run beside the others and the server's own; nil when it can.
  private func conflict(of manifest: PluginManifest, with others: [PluginManifest]) -> String? {
    if let id = manifest.provider?.id {
      if environment.ownProviderIDs.contains(id) { return "the server itself provides sign-in with \(id)" }
      if let other = others.first(where: { $0.provider?.id == id }) {
        return "\(other.name) already provides sign-in with \(id)"
      }
    }
    for (hook, what) in [(PluginHook.sendMail, "mail"), (.sendSMS, "text messages")] where manifest.hooks.contains(hook)
    {
      if let other = others.first(where: { $0.hooks.contains(hook) }) { return "\(other.name) already sends \(what)" }
    }
    return nil
  }

  /// Returns the reason why a token would match a plugin and another one equally; nil when there is no such conflict.
  private func tokenConflict(
    of plugin: InstalledPlugin, among plugins: [InstalledPlugin], _ others: [PluginManifest]
  ) -> String? {
    guard let selection = plugin.selection else { return nil }
    for other in plugins where others.contains(where: { $0.name == other.name }) {
      guard let entry = other.selection?.common(with: selection) else { continue }
      return "\(other.name) already verifies tokens of \(entry.isEmpty ? "any form" : entry)"
    }
    return nil
  }

  private func runner(
    _ plugin: InstalledPlugin, _ manifest: PluginManifest
  ) async throws(PluginProblem) -> any PluginRunner {
    let setup = PluginSetup(manifest, settings: plugin.settings, server: environment.server)
    let file = PluginLogFile(folder: folder.folder(of: plugin.name))
    let report = PluginReport(
      event: { [environment] isWarning, text in
        file.write(text)
        environment.log(isWarning, plugin.name, text)
      },
      line: { worker, text in file.write("worker \(worker): \(text)") },
      revoked: { [environment] in environment.revoke(plugin.name, $0) })
    switch manifest.carrier {
    case .process(let command):
      let parts = try processResources()
      let planned = await Self.onOwnThread {
        Result { () throws(PluginProblem) in try parts.runFolder.plan(plugin, manifest, command: command) }
      }
      return ProcessRunner(
        setup, try planned.get(), limits: SupervisorLimits(workerCount: manifest.requirements.workers),
        loop: parts.loop,
        report: report)
    case .webhook(let service):
      let policy = try service.policy(
        allowsPrivate: plugin.version?.allowsPrivate ?? false,
        files: folder.folder(of: plugin.name, version: manifest.version))
      let client = environment.client(policy, manifest.requirements.connections)
      return WebhookRunner(
        setup,
        try WebhookClient(service, secrets: plugin.secrets, client: client, answerBytesMax: setup.lineBytesMax),
        connections: manifest.requirements.connections, report: report)
    }
  }

  private func processResources() throws(PluginProblem) -> Parts {
    try parts.withLock { parts throws(PluginProblem) -> Parts in
      if let parts { return parts }
      let runFolder = try PluginRunFolder(folder)
      let newParts: Parts
      do throws(PluginProcess.Problem) { newParts = Parts(loop: try ProcessLoop(), runFolder: runFolder) } catch {
        runFolder.remove()
        throw PluginProblem("no thread could be started for plugins: \(error.description)")
      }
      parts = newParts
      return newParts
    }
  }

  /// Returns a function that logs failed requests for the operator, once a second at most.
  private func notice(of name: String) -> @Sendable (String) -> Void {
    let rate = NoticeRateLimiter()
    return { [environment] text in if rate.admits() { environment.log(true, name, text) } }
  }

  /// Returns the hooks of the running plugins for the server, in order of name.
  ///
  /// - Parameter closed: the plugins that are switched on and cannot run.
  private static func offer(_ entries: [String: Entry], closed: [InstalledPlugin]) -> PluginSet {
    var offer = PluginSet()
    for plugin in closed {
      let hooks = plugin.record.flatMap { $0.versions[$0.current]?.hooks } ?? []
      offer.hooks.append(ClosedHook(name: plugin.name, hooks: hooks))
      if hooks.contains(.checkPassword) { offer.passwordCheckers.append(ClosedPasswordChecker(name: plugin.name)) }
      if hooks.contains(.customClaims) { offer.claimsSources.append(ClosedClaimsSource(name: plugin.name)) }
      if let selection = plugin.selection {
        offer.verifiers.append(ClosedTokenVerifier(name: plugin.name, selection: selection))
      }
    }
    for entry in entries.sorted(by: { $0.key < $1.key }).map(\.value) {
      if let provider = entry.manifest.provider {
        offer.providers.append(PluginSignIn(handle: entry.handle, manifest: provider))
      }
      let deciding = Set(entry.manifest.hooks).intersection([.beforeCreate, .beforeSignIn])
      if !deciding.isEmpty { offer.hooks.append(PluginDecidingHook(handle: entry.handle, hooks: deciding)) }
      if entry.manifest.hooks.contains(.checkPassword) {
        offer.passwordCheckers.append(PluginPasswordChecker(handle: entry.handle))
      }
      if entry.manifest.hooks.contains(.customClaims) {
        offer.claimsSources.append(PluginClaimsSource(handle: entry.handle))
      }
      let sending = PluginMessageSender(handle: entry.handle)
      if entry.manifest.hooks.contains(.sendMail) { offer.mailer = PluginMailer(sending: sending) }
      if entry.manifest.hooks.contains(.sendSMS) { offer.smsSender = PluginSMSSender(sending: sending) }
      if entry.manifest.hooks.contains(.onWrite) { offer.receivers.append(PluginWriteReceiver(handle: entry.handle)) }
      if let selection = entry.plugin.selection {
        offer.verifiers.append(
          PluginTokenVerifier(handle: entry.handle, selection: selection, revision: entry.plugin.revision))
      }
      if entry.manifest.hooks.contains(.audit) { offer.auditSinks.append(PluginAuditSink(handle: entry.handle)) }
    }
    return offer
  }

  /// Runs file work on a thread on which no other work waits.
  private static func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { done in DispatchQueue.global().async { done.resume(returning: work()) } }
  }
}

extension PluginSetup {
  init(_ manifest: PluginManifest, settings: JSON, server: String) {
    self.init(
      expectation: PluginExpectation(name: manifest.name, version: manifest.version, hooks: manifest.hooks),
      lineBytesMax: manifest.requirements.lineKiB << 10,
      deadlineMilliseconds: Int64(manifest.requirements.deadlineMilliseconds),
      settings: manifest.settings.complete(settings), server: server)
  }
}
