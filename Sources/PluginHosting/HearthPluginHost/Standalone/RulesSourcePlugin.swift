import HearthCrypto
import HearthPlugin
import HearthTree

/// A plugin that translates files of another language into rules, run once for each file.
package struct RulesSourcePlugin: Sendable {
  private let plugin: PluginPackage
  private let settings: JSON
  /// The secret that signs requests to a service; nil for a program.
  private let secret: WebhookSecret?
  private let allowsPrivate: Bool

  /// The plugin's name and version: `bolt 1.0.0`.
  package var name: String { "\(plugin.manifest.name) \(plugin.manifest.version)" }

  /// Creates the plugin of a folder.
  ///
  /// - Throws: ``PluginProblem`` for a plugin without the rules hook.
  package init(folder: String) throws(PluginProblem) {
    plugin = try PluginPackage(folder)
    (settings, secret, allowsPrivate) = ([:], nil, false)
    guard plugin.manifest.rules != nil else {
      throw PluginProblem("\(plugin.manifest.name) has no hook \(PluginHook.rulesSource.rawValue)")
    }
    guard !plugin.manifest.carrier.isService else {
      throw PluginProblem("\(plugin.manifest.name) is a service: use it where it is installed, with its secret")
    }
  }

  /// Creates the plugin of a data folder that is switched on for files like this one; nil when there is none. Blocks for files.
  ///
  /// - Throws: ``PluginProblem`` when it is broken.
  package init?(for path: String, dataDirectory: String) throws(PluginProblem) {
    let folder = PluginFolder(dataDirectory: dataDirectory)
    for installed in folder.plugins() where installed.record?.isEnabled == true {
      guard let manifest = installed.manifest else {
        // A plugin that cannot be read may be the one for this file.
        let hooks = installed.record.flatMap { $0.versions[$0.current]?.hooks } ?? []
        guard hooks.contains(.rulesSource) else { continue }
        throw PluginProblem("\(installed.name): \(installed.problem ?? "the plugin has no manifest")")
      }
      guard manifest.rules?.takes(path) == true else { continue }
      if let problem = installed.problem { throw PluginProblem("\(installed.name): \(problem)") }
      let package = try PluginPackage(folder.folder(of: installed.name, version: manifest.version), .installed)
      guard package.digest == installed.record?.versions[manifest.version]?.digest else {
        throw PluginProblem("\(installed.name): its files have just been changed")
      }
      plugin = package
      settings = installed.settings
      secret = installed.secrets.first?.secret
      allowsPrivate = installed.version?.allowsPrivate ?? false
      return
    }
    return nil
  }

  /// Returns true when a file of that name is in the plugin's language.
  package func takes(_ path: String) -> Bool { plugin.manifest.rules?.takes(path) == true }

  /// Starts the plugin, translates a file with it, and stops it.
  ///
  /// - Throws: ``PluginProblem`` that names the plugin, when it does not answer.
  package func translate(_ source: RulesSource) async throws(PluginProblem) -> RulesSourceAnswer {
    guard let input = try? JSON(encoding: source) else {
      throw PluginProblem("the request to \(name) cannot be created")
    }
    let plugin = try StandalonePlugin(
      plugin, settings: settings, secret: secret, allowsPrivate: allowsPrivate, server: "hearth rules")
    let problem = await plugin.start()
    var outcome = PluginOutcome.down
    if problem == nil {
      outcome = await plugin.runner.ask(
        .rulesSource, input, milliseconds: plugin.runner.deadlineMilliseconds)
    }
    await plugin.stop()
    if let problem { throw PluginProblem("\(name): \(problem)") }
    guard case .output(let output) = outcome else { throw PluginProblem("\(name) \(outcome.text)") }
    do {
      return try output.decoded()
    } catch let error as DecodingError {
      throw PluginProblem("\(name) returned an unexpected response: \(error.place)")
    } catch {
      throw PluginProblem("\(name) returned an unexpected response")
    }
  }
}
