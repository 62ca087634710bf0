import ArgumentParser
import HearthProgram
import HearthRules

/// A rules file that a command looks into, with the errors that `hearth rules check` prints.
enum RulesFile {
  /// - Throws: `ExitCode(2)` after what is wrong was printed; the file cannot be judged.
  static func read(_ file: String) throws -> RuleSet {
    let text = try text(file)
    do {
      return try RuleSet.compile(text, keepsExpressions: true)
    } catch {
      Output.note(error.rendered(file: file))
      throw ExitCode(2)
    }
  }

  /// - Throws: `ExitCode(2)` after it was printed why the file cannot be read.
  static func text(_ file: String) throws -> String {
    do {
      return try TextFile.read(file)
    } catch {
      Output.note("hearth: \(error)")
      throw ExitCode(2)
    }
  }
}
