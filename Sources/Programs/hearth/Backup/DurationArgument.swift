import ArgumentParser

/// A duration as an argument: `90s`, `15m`, `1h`, `30d`.
struct DurationArgument: ExpressibleByArgument, Sendable {
  /// The text of the argument.
  let text: String
  let seconds: Int64

  /// The maximum, a hundred years.
  private static let secondsMax: Int64 = 36_500 * 86_400

  init?(argument: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()), count > 0,
      count <= Self.secondsMax / unit
    else { return nil }
    (text, seconds) = (argument, count * unit)
  }

  var milliseconds: Int64 { seconds * 1_000 }
}
