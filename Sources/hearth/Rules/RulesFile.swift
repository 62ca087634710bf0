import ArgumentParser
import HearthProgram
import HearthRules

/// A rules file that a command looks into, with the errors that `hearth rules check` prints.
enum RulesFile {
  /// - Throws: `ExitCode(2)` after the mistakes were printed; the file cannot be judged.
  static func read(_ file: String) throws -> RuleSet {
    let text = try TextFile.read(file)
    do {
      return try RuleSet.compile(text, keepsExpressions: true)
    } catch {
      Output.note(error.rendered(file: file))
      throw ExitCode(2)
    }
  }
}
