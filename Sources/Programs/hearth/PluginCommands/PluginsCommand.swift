import ArgumentParser
import HearthCrypto
import HearthPluginHost
import HearthProgram
import HearthTree
import NIOHTTP1

/// The command `hearth plugins`.
struct PluginsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins",
    abstract: "Manage plugins: separate programs and services that extend the server.",
    discussion: """
      Changes take effect on the running server at once, without a restart. A plugin is a folder with a plugin.json; the \
      guide "Write a plugin" describes it.
      """,
    subcommands: [
      PluginsAdd.self, PluginsList.self, PluginsEnable.self, PluginsDisable.self, PluginsRollback.self,
      PluginsRemove.self, PluginsSettings.self, PluginsRotateSecret.self, PluginsLogs.self, PluginsTest.self,
      PluginsSendSMS.self,
    ])
}

/// The options for the plugins of a data folder and its running server.
struct PluginsOptions: ParsableArguments {
  @OptionGroup var data: DataOption

  @Flag(help: "Print JSON, for scripts.")
  var json = false

  /// The folder of plugins in the data folder.
  var folder: PluginFolder { get throws { PluginFolder(dataDirectory: try data.path()) } }

  /// Makes the running server apply the folder's state.
  ///
  /// - Parameter name: The plugin to restart in any case.
  /// - Returns: The state of the plugins; that of the folder when no server runs.
  func apply(restarting name: String? = nil) async throws -> Plugins {
    try await requestPlugins(.POST, name.map { ["restart": .string($0)] } ?? [:])
  }

  /// Returns the state of the plugins.
  func status() async throws -> Plugins { try await requestPlugins(.GET, nil) }

  /// The state of the plugins, and its origin.
  struct Plugins {
    var isServed: Bool
    var plugins: [JSON]

    /// Returns the plugin of that name.
    ///
    /// - Throws: ``AdminFailure`` when it is missing.
    func named(_ name: String) throws -> JSON {
      guard let plugin = plugins.first(where: { $0["name"]?.string == name }) else {
        throw AdminFailure("there is no plugin named \(TextTable.printable(name))")
      }
      return plugin
    }
  }

  private func requestPlugins(_ method: HTTPMethod, _ body: JSON?) async throws -> Plugins {
    guard let answer = try await send(method, body) else {
      return Plugins(isServed: false, plugins: try folder.plugins().map { PluginStatus($0).json })
    }
    guard let plugins = answer["plugins"]?.array else { throw AdminFailure("the server's response has no plugins") }
    return Plugins(isServed: true, plugins: plugins)
  }

  /// Sends the running server a request.
  ///
  /// - Returns: Its answer; nil when no server runs.
  func post(_ body: JSON) async throws -> JSON? { try await send(.POST, body) }

  private func send(_ method: HTTPMethod, _ body: JSON?) async throws -> JSON? {
    guard let client = try await server() else { return nil }
    let answer = try await client.send(
      method: method, target: "/.settings/plugins.json", body: body.map { $0.text() })
    guard answer.status == 200, let json = JSON(parsing: answer.body) else {
      throw AdminFailure(
        answer: JSON(parsing: answer.body), status: answer.status, place: "the server on \(client.place)")
    }
    return json
  }

  /// Returns the server; nil when none runs on the folder, or none ever did.
  func server() async throws -> HTTPClient? {
    let folder = try data.path()
    guard let keys = try? DataOption.keys(in: folder) else { return nil }
    let client = try HTTPClient(dataDirectory: folder, token: keys.adminToken)
    return try await client.isAnswered() ? client : nil
  }

  /// Exits with a message when a plugin's folder or the server refuses.
  func run(_ work: () async throws -> Void) async throws {
    do { try await work() } catch let problem as PluginProblem { throw AdminFailure(problem.description) }
  }

  /// Prints a plugin in JSON, with a secret that was created for it.
  func print(_ plugin: JSON, secret: WebhookSecret?) {
    Output.json(secret.map { plugin.appending(["newSecret": .string($0.text)]) } ?? plugin)
  }

  /// Reports the result for one plugin; fails when it should run on a server and does not.
  ///
  /// - Parameter secret: A secret that was created for it; it is in the JSON.
  func report(_ name: String, _ plugins: Plugins, _ done: String, secret: WebhookSecret? = nil) throws {
    let plugin = try plugins.named(name)
    let state = plugin["state"]?.string ?? "unknown"
    let problem = plugin["problem"]?.string.map(TextTable.printable)
    if json {
      print(plugin, secret: secret)
    } else {
      Output.line("\(name) \(plugin["version"]?.string ?? ""): \(done); \(state)\(problem.map { ": \($0)" } ?? "")")
      if !plugins.isServed {
        Output.note("no server runs on \(try data.path()): the change takes effect at its next start")
      }
    }
    let isAsMeant = plugin["isEnabled"]?.bool != true || ["running", "on demand"].contains(state) && problem == nil
    if plugins.isServed, !isAsMeant { throw ExitCode.failure }
  }
}
