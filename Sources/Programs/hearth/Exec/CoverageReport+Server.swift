import HearthProgram
import HearthRules
import HearthServer
import HearthWorkbench

extension CoverageReport {
  /// Reads a running server's counts for the current rules. Databases with the same rules are counted together.
  ///
  /// - Parameter files: Rules files. Rules with the text of one are named by it, others by a database that has them.
  init(of server: HearthServer, files: [String]) {
    let texts = files.map { (file: $0, text: (try? TextFile.read($0)) ?? "") }
    var counted: [(file: String, coverage: RulesCoverage)] = []
    for (database, coverage) in server.rulesCoverages {
      let source = coverage.rules.source
      if let same = counted.first(where: { $0.coverage.rules.source.utf8.elementsEqual(source.utf8) }) {
        same.coverage.add(coverage)
        continue
      }
      let written = coverage.rules.writtenSource
      let file = texts.first { $0.text.utf8.elementsEqual(written.utf8) }?.file
      let sum = RulesCoverage(of: coverage.rules)
      sum.add(coverage)
      counted.append((file ?? "rules of \(database)", sum))
    }
    self.init(counted)
  }
}
