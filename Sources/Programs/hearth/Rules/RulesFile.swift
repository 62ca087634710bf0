import ArgumentParser
import HearthProgram
import HearthRules
import HearthRulesCommands

/// The reading of a rules file by a command, with the errors that `hearth rules check` prints.
enum RulesFile {
  /// - Throws: `ExitCode(2)` after printing the mistakes; the file cannot be judged.
  static func read(_ file: String, _ plugin: RulesPluginOption) async throws -> RuleSet {
    do {
      return try RuleSet.compile(try await plugin.read(file), keepsExpressions: true)
    } catch let error as RulesError {
      Output.note(error.rendered(file: file))
      throw ExitCode(2)
    } catch {
      throw ExitCode.reporting(error)
    }
  }
}
