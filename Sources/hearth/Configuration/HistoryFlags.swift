import ArgumentParser
import HearthDatabase
import HearthGateway
import HearthServer

/// The flags that say how much of the past databases keep.
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
  var historyBytes: HistoryBytes?

  @Flag(help: "Keep who made each change, as long as it is kept: uid, provider, connection and kind of network.")
  var historyWho = false

  /// What is kept.
  var retention: HistoryRetention {
    guard history != nil || historyBytes != nil else { return .none }
    return HistoryRetention(
      ageMilliseconds: history?.milliseconds ?? .max,
      sizeBytesMax: historyBytes?.bytes ?? HistoryRetention.standardSizeBytesMax)
  }
}

/// A length of time as an argument: `7d`, `12h`, `90m`.
struct HistoryAge: ExpressibleByArgument {
  let milliseconds: Int64

  init?(argument: String) {
    guard let milliseconds = try? HistoryMoment.duration(argument), milliseconds > 0 else { return nil }
    self.milliseconds = milliseconds
  }
}

/// A number of bytes as an argument: `1000000`, `500K`, `500M`, `2G`, `1T`, in powers of 1,024.
struct HistoryBytes: ExpressibleByArgument {
  let bytes: Int

  init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && $0.isNumber }
    let shifts: [String: Int] = ["": 0, "K": 10, "M": 20, "G": 30, "T": 40]
    guard let number = Int(digits), number > 0, let shift = shifts[argument.dropFirst(digits.count).uppercased()],
      case (let bytes, let isTooMany) = number.multipliedReportingOverflow(by: 1 << shift), !isTooMany
    else { return nil }
    self.bytes = bytes
  }
}
