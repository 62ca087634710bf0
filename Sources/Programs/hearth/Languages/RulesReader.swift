import HearthProgram
import HearthRules
import HearthRulesCommands

/// Reads rules files for a server of this process.
struct RulesReader: Sendable {
  /// A plugin's folder, in place of the plugins of the data folder.
  private let pluginFolder: String?
  private let dataDirectory: String

  init(plugin: RulesPluginOption, dataDirectory: String) {
    pluginFolder = plugin.folder
    self.dataDirectory = dataDirectory
  }

  /// The rules of a file.
  ///
  /// - Throws: ``TextFile/Failure`` with every mistake, or why there is no telling.
  func read(_ path: String) async throws -> String {
    do {
      return try await text(path)
    } catch let error as RulesError {
      throw TextFile.Failure(error.rendered(file: path))
    } catch let error as RulesTranslation.Failure {
      throw TextFile.Failure(error.description)
    }
  }

  /// The rules of a file that a server starts with. A plugin that fails keeps no server from starting: the rules that were
  /// deployed last stay in force, and the operator is told.
  func atStart(_ path: String?) async throws -> String? {
    guard let path else { return nil }
    do {
      return try await text(path)
    } catch let error as RulesError {
      throw TextFile.Failure(error.rendered(file: path))
    } catch let error as RulesTranslation.Failure {
      Output.note("hearth: \(error) - the rules that were deployed last stay in force")
      return nil
    }
  }

  /// The rules of a file.
  ///
  /// - Throws: `RulesError`, ``RulesTranslation/Failure`` or ``TextFile/Failure``.
  func text(_ path: String) async throws -> String {
    try await RulesTranslation.read(path, plugin: pluginFolder, dataDirectory: dataDirectory)
  }
}
