import HearthOutbound
import HearthPlugin
import HearthSystem
import HearthTree
import Synchronization

/// Runs the plugins of a data folder, and gives the server what they are asked through.
///
/// A plugin that is broken is told of, and keeps nothing else from starting.
package final class PluginHost: Sendable {
  /// What the host has of the server.
  package struct Environment: Sendable {
    /// The server's name and version, as plugins are told it.
    package var server: String
    /// The ids of the server's own ways to sign in, which no plugin can take.
    package var ownProviderIDs: Set<String>
    /// Puts what plugins offer in the place of what they offered before. Nil takes nothing away from the server's own.
    package var apply: @Sendable (PluginSet) -> Void
    /// Told of tokens that a plugin vouched for and that count no longer. Returns at once.
    package var revoke: @Sendable (_ plugin: String, TokenRevocation) -> Void
    /// A line for the operator, without a secret in it.
    package var log: @Sendable (_ isWarning: Bool, _ plugin: String, _ text: String) -> Void
    /// The way to a service with so many connections.
    var client: @Sendable (OutboundPolicy, _ connections: Int) -> any OutboundHTTP = WebhookCall.client

    /// What the host has of the server.
    package init(
      server: String, ownProviderIDs: Set<String>, apply: @escaping @Sendable (PluginSet) -> Void,
      revoke: @escaping @Sendable (_ plugin: String, TokenRevocation) -> Void = { _, _ in },
      log: @escaping @Sendable (_ isWarning: Bool, _ plugin: String, _ text: String) -> Void
    ) {
      self.server = server
      self.ownProviderIDs = ownProviderIDs
      self.apply = apply
      self.revoke = revoke
      self.log = log
    }
  }

  /// A plugin that runs.
  struct Entry {
    var plugin: InstalledPlugin
    var manifest: PluginManifest
    var handle: PluginHandle
  }

  struct State {
    var entries: [String: Entry] = [:]
    /// The reason why a plugin does not run that could by itself.
    var problems: [String: String] = [:]
    var isStopped = false
    /// The last reading of the folder, done or not.
    var turn: Task<Void, Never>?
  }

  /// The time that a plugin that is switched on, or replaces another version, is waited for.
  static let settleMilliseconds: Int64 = 10_000

  let folder: PluginFolder
  let environment: Environment
  let state = Mutex(State())
  let parts: Mutex<Parts?> = Mutex(nil)

  /// Made with the first plugin that has processes: a server without any has no thread and no folder for them.
  struct Parts {
    let loop: ProcessLoop
    let stage: PluginStage
  }

  /// A host that runs nothing yet.
  package init(dataDirectory: String, _ environment: Environment) {
    folder = PluginFolder(dataDirectory: dataDirectory)
    self.environment = environment
  }

  /// Reads the folder, starts what is to run, ends what is not, and replaces what was changed: a former version goes on
  /// until the new one answers.
  ///
  /// - Parameters:
  ///   - restarting: a plugin that is started anew in any case, as one that was given up.
  ///   - waits: returns when each plugin that was started answers, or does not; else at once.
  package func reload(restarting name: String? = nil, waits: Bool = true) async {
    let turn = state.withLock { state -> Task<Void, Never>? in
      guard !state.isStopped else { return nil }
      let former = state.turn
      let turn = Task { [self] in
        await former?.value
        await read(restarting: name, waits: waits)
      }
      state.turn = turn
      return turn
    }
    await turn?.value
  }

  /// Ends all plugins: they answer what they have.
  package func stop() async {
    let turn = state.withLock { state -> Task<Void, Never>? in
      state.isStopped = true
      return state.turn
    }
    await turn?.value
    environment.apply(PluginSet())
    let runners = state.withLock { state in
      defer { state.entries = [:] }
      return state.entries.values.map(\.handle.runner)
    }
    await withTaskGroup(of: Void.self) { group in
      for runner in runners { group.addTask { await runner.stop() } }
    }
    let parts = parts.withLock { parts in
      defer { parts = nil }
      return parts
    }
    parts?.loop.stop()
    parts?.stage.remove()
  }
}
