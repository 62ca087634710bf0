import ArgumentParser

/// The server program of a benchmark, and the folder for its data.
struct BenchOptions: ParsableArguments {
  @Option(
    name: [.customLong("hearth"), .customLong("program")],
    help: ArgumentHelp("The server program, if not the hearth beside this one.", valueName: "file"))
  var program: String?

  @Option(help: ArgumentHelp("Where data is made: the disk to measure.", valueName: "dir"))
  var folder = "/tmp"
}
