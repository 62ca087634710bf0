import HearthOutbound
import HearthPlugin
import HearthSystem
import HearthTree
import Synchronization

/// The host of a data folder's plugins: it runs them, and gives the server their hooks.
///
/// A broken plugin is reported, and does not keep the server or another plugin from starting.
package final class PluginHost: Sendable {
  /// The server's parts that the host uses.
  package struct Environment: Sendable {
    /// The server's name and version for plugins.
    package var server: String
    /// The ids of the server's own sign-in providers, which no plugin can take.
    package var ownProviderIDs: Set<String>
    /// Replaces the plugins' former hooks by these. A nil member keeps the server's own.
    package var apply: @Sendable (PluginSet) -> Void
    /// Revokes tokens that a plugin had verified. Returns at once.
    package var revoke: @Sendable (_ plugin: String, TokenRevocation) -> Void
    /// Logs a line for the operator, without a secret in it.
    package var log: @Sendable (_ isWarning: Bool, _ plugin: String, _ text: String) -> Void
    /// Makes a client of a service with the given number of connections.
    var client: @Sendable (OutboundPolicy, _ connections: Int) -> any OutboundHTTP = WebhookClient.client

    /// Creates an environment with these parts.
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

  /// A running plugin.
  struct Entry {
    var plugin: InstalledPlugin
    var manifest: PluginManifest
    var handle: PluginHandle
  }

  struct State {
    var entries: [String: Entry] = [:]
    /// The reasons why plugins do not run, by plugin name, as far as their folders do not show them.
    var problems: [String: String] = [:]
    var isStopped = false
    /// The last reading of the folder, finished or not.
    var lastReload: Task<Void, Never>?
  }

  /// The time to wait for a plugin that is switched on, or replaces another version.
  static let settleMilliseconds: Int64 = 10_000

  let folder: PluginFolder
  let environment: Environment
  let state = Mutex(State())
  let parts: Mutex<Parts?> = Mutex(nil)

  /// The thread and folder for processes, made with the first plugin that needs them: a server without one has neither.
  struct Parts {
    let loop: ProcessLoop
    let runFolder: PluginRunFolder
  }

  /// Creates a host without running plugins.
  package init(dataDirectory: String, _ environment: Environment) {
    folder = PluginFolder(dataDirectory: dataDirectory)
    self.environment = environment
  }

  /// Reads the folder, starts and stops plugins accordingly, and replaces changed ones: a former version continues
  /// until the new one answers.
  ///
  /// - Parameters:
  ///   - restarting: a plugin that is restarted in any case, such as a quarantined one.
  ///   - waits: true returns when each started plugin answers, or does not; false at once.
  package func reload(restarting name: String? = nil, waits: Bool = true) async {
    let reload = state.withLock { state -> Task<Void, Never>? in
      guard !state.isStopped else { return nil }
      let former = state.lastReload
      let reload = Task { [self] in
        await former?.value
        await read(restarting: name, waits: waits)
      }
      state.lastReload = reload
      return reload
    }
    await reload?.value
  }

  /// Stops all plugins, after they have answered their requests.
  package func stop() async {
    let lastReload = state.withLock { state -> Task<Void, Never>? in
      state.isStopped = true
      return state.lastReload
    }
    await lastReload?.value
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
    parts?.runFolder.remove()
  }
}
