import ArgumentParser
import HearthProgram
import HearthSyncScenarios
import HearthTree

/// A command that runs files of scenarios on the client's core.
@main
struct SyncScenarios: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-scenarios", abstract: "Run scenarios on the core of the client.",
    discussion: """
      Each file is a JSON array of {name, steps}. A step has a type (listen, unlisten, serverUpdate, serverMerge, set,
      update, ackUserWrite, suppressWarning), what that takes (path, data, params with tag, callbackId, writeId, revert,
      visible) and the events that it raises: the shape that Firebase's own clients share. Every scenario runs at the
      root and again below /foo/bar/baz. Each that fails is a line; the last line is the total.
      """)

  @Argument(help: "Files of scenarios.")
  var files: [String]

  func validate() throws {
    if files.isEmpty { throw ValidationError("name at least one file of scenarios") }
  }

  func run() throws {
    var (runs, failures, scenarios) = (0, 0, 0)
    for file in files {
      let list: [Scenario]
      do {
        list = try Scenario.read(try TextFile.read(file))
      } catch let error as ScenarioError {
        throw TextFile.Failure("\(file): \(error.description)")
      }
      scenarios += list.count
      for scenario in list {
        for base in [Path.root, Path("foo/bar/baz")] {
          runs += 1
          guard let failure = scenario.failure(below: base) else { continue }
          failures += 1
          Output.line("\(file): \"\(scenario.name)\" at \(base): \(failure)")
        }
      }
    }
    Output.line("\(scenarios) scenarios, \(runs) runs, \(failures) failed")
    if failures > 0 { throw ExitCode.failure }
  }
}
