import ArgumentParser
import HearthProgram

/// `hearth-bench history`: reads of past states.
struct HistoryBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Measure reading a place as it was, after many commits since the last snapshot.",
    discussion: "Makes a folder of its own, and removes it. No server runs; the disk is the temporary folder's.")

  @Option(help: ArgumentHelp("Commits since the snapshot.", valueName: "count"))
  var commits = 1_000_000

  @Option(help: ArgumentHelp("Commits that were made durable together; 1 is a quiet server.", valueName: "count"))
  var batch = 10

  @OptionGroup var benchOptions: BenchOptions

  func validate() throws {
    guard commits >= 20_000, batch >= 1 else {
      throw ValidationError("--commits is at least 20000, --batch at least 1.")
    }
  }

  func run() throws {
    let own = try Folder.makeTemporary(in: benchOptions.folder, named: "hearth-bench")
    defer { Folder.remove(own) }
    var reads = HistoryReads()
    (reads.commitCount, reads.commitsPerBatch) = (commits, batch)
    Output.line(try reads.run(in: own).text)
  }
}
