import ArgumentParser
import HearthProgram
import HearthRules
import HearthRulesCommands

/// A rules file that a command looks into, with the errors that `hearth rules check` prints.
enum RulesFile {
  /// - Throws: `ExitCode(2)` after what is wrong was printed; the file cannot be judged.
  static func read(_ file: String, _ plugin: RulesPluginOption) async throws -> RuleSet {
    do {
      return try RuleSet.compile(try await plugin.read(file), keepsExpressions: true)
    } catch let error as RulesError {
      Output.note(error.rendered(file: file))
      throw ExitCode(2)
    } catch {
      throw ExitCode.telling(error)
    }
  }
}
