import ArgumentParser

/// The duration of each measurement of a benchmark.
struct BenchTime: ParsableArguments {
  @Option(help: ArgumentHelp("How long each measurement lasts.", valueName: "seconds"))
  var seconds = 5

  func validate() throws {
    guard (1...600).contains(seconds) else { throw ValidationError("--seconds is 1 to 600.") }
  }
}

/// The options of a client that writes at a fixed rate, whose latencies show the effect of other load.
struct PaceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Writes a second of the one who is measured.", valueName: "count"))
  var rate = 200

  @OptionGroup var time: BenchTime

  func validate() throws {
    guard (1...100_000).contains(rate) else { throw ValidationError("--rate is 1 to 100000.") }
  }

  /// Writes for the configured time.
  func write(to target: BenchTarget) async throws -> PacedWrites.Figures {
    try await PacedWrites.run(target, rate: rate, seconds: time.seconds)
  }
}
