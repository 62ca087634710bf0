import HearthProgram
import HearthSystem

/// The time until a server is ready: in a new folder, and in one that was in use before.
enum StartScenario {
  private static let rounds = 5

  /// Runs the scenario.
  ///
  /// - Parameter program: The server program; nil for the one beside this program.
  static func run(program: String?, in parent: String) throws -> BenchResult {
    let program = try program ?? ProgramFile.sibling("hearth")
    var (first, second) = ([Double](), [Double]())
    for _ in 0..<rounds {
      let server = try BenchServer(program: program, in: parent)
      defer { Folder.remove(server.folder) }
      first.append(server.readySeconds)
      server.end()
      try server.start()
      second.append(server.readySeconds)
      server.end()
    }
    let size = FileVersion(of: program).map { NumberFormat.hundredths(Double($0.sizeBytes) / 1_000_000) } ?? "?"
    return BenchResult(
      name: "start", setup: "program of \(size) MB",
      note: "ready in a new folder after \(time(first)), in a known one after \(time(second)); medians of \(rounds)")
  }

  private static func time(_ seconds: [Double]) -> String {
    Median.of(seconds).map { BenchTable.time(UInt64($0 * 1e9)) } ?? "?"
  }
}
