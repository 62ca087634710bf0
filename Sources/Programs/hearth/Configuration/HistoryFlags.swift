import ArgumentParser
import HearthDatabase
import HearthGateway
import HearthServer

/// The flags for the retention of history.
struct HistoryFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long to keep former states, for reads of the past, such as 7d. If not given, none are kept.",
      valueName: "time"))
  var history: HistoryAge?

  @Option(
    help: ArgumentHelp(
      """
      The maximum size of each database's history on the disk, such as 500M or 2G; older states are removed first. \
      With --history the default is 1G; without it, the history is limited by this size alone.
      """, valueName: "bytes"))
  var historyBytes: ByteCount?

  @Flag(help: "Record the author of each change in the history: uid, provider, connection and kind of network.")
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
