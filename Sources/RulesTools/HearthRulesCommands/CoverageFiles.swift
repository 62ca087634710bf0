import ArgumentParser
import HearthProgram
import HearthWorkbench

/// The options of commands that write rules coverage to files.
package struct CoverageFiles: ParsableArguments {
  @Option(help: ArgumentHelp("Write the coverage as a page.", valueName: "file"))
  var coverageHTML: String?

  @Option(help: ArgumentHelp("Write the coverage for tools that read LCOV.", valueName: "file"))
  var coverageLCOV: String?

  /// Creates options, whose values are set by parsing.
  package init() {}

  /// Writes the requested files.
  ///
  /// - Throws: ``TextFile/Failure`` when a file cannot be written.
  package func write(_ report: CoverageReport) throws {
    if let coverageHTML { try TextFile.replace(coverageHTML, Array(report.html.utf8), mode: 0o644) }
    if let coverageLCOV { try TextFile.replace(coverageLCOV, Array(report.lcov.utf8), mode: 0o644) }
  }
}
