import HearthProgram
import HearthRules
import HearthRulesCommands

/// The reader of rules files for a server of this process.
struct RulesReader: Sendable {
  /// The folder of a plugin that replaces those of the data folder.
  private let pluginFolder: String?
  private let dataDirectory: String

  init(plugin: RulesPluginOption, dataDirectory: String) {
    pluginFolder = plugin.folder
    self.dataDirectory = dataDirectory
  }

  /// Returns the rules of a file.
  ///
  /// - Throws: ``TextFile/Failure`` with every mistake, or the reason that they are unknown.
  func read(_ path: String) async throws -> String {
    do {
      return try await text(path)
    } catch let error as RulesError {
      throw TextFile.Failure(error.rendered(file: path))
    } catch let error as RulesTranslation.Failure {
      throw TextFile.Failure(error.description)
    }
  }

  /// Returns the rules of a file at a server's start. A failing plugin does not prevent the start: the last deployed
  /// rules stay in force, and the operator gets a message.
  func atStart(_ path: String?) async throws -> String? {
    guard let path else { return nil }
    do {
      return try await text(path)
    } catch let error as RulesError {
      throw TextFile.Failure(error.rendered(file: path))
    } catch let error as RulesTranslation.Failure {
      Output.note("hearth: \(error) - the last deployed rules stay in force")
      return nil
    }
  }

  /// Returns the rules of a file.
  ///
  /// - Throws: `RulesError`, ``RulesTranslation/Failure`` or ``TextFile/Failure``.
  func text(_ path: String) async throws -> String {
    try await RulesTranslation.read(path, plugin: pluginFolder, dataDirectory: dataDirectory)
  }
}
