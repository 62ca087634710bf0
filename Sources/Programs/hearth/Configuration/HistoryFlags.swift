import ArgumentParser
import HearthDatabase
import HearthGateway
import HearthServer

/// The flags for the retention of history.
struct HistoryFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keep what was there: states of the last so long can be read, such as 7d. Nothing is kept if not given.",
      valueName: "time"))
  var history: HistoryAge?

  @Option(
    help: ArgumentHelp(
      """
      The most bytes that each database's past takes on the disk, such as 500M or 2G; older states go. \
      If not given, 1G beside --history; given without it, as much is kept as there is room for.
      """, valueName: "bytes"))
  var historyBytes: ByteCount?

  @Flag(help: "Keep who made each change, as long as it is kept: uid, provider, connection and kind of network.")
  var historyWho = false

  func validate() throws {
    guard historyBytes?.bytes != 0 else { throw ValidationError("--history-bytes must be more than 0.") }
  }

  /// The retention of history.
  var retention: HistoryRetention {
    guard history != nil || historyBytes != nil else { return .none }
    return HistoryRetention(
      ageMilliseconds: history?.milliseconds ?? .max,
      sizeBytesMax: historyBytes?.bytes ?? HistoryRetention.standardSizeBytesMax)
  }
}

/// A duration as an argument: `7d`, `12h`, `90m`.
struct HistoryAge: ExpressibleByArgument {
  let milliseconds: Int64

  init?(argument: String) {
    guard let milliseconds = try? HistoryMoment.duration(argument), milliseconds > 0 else { return nil }
    self.milliseconds = milliseconds
  }
}
