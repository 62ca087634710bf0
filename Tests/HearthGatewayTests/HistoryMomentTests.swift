import Testing

@testable import HearthGateway

@Suite struct HistoryMomentTests {
  private let now: Int64 = 1_800_000_000_000

  /// Valid texts of positions and times.
  private static let absolute: [(String, HistoryMoment)] = [
    ("4711", .position(4_711)), ("0", .position(0)),
    ("2026-11-20T14:03:00Z", .time(milliseconds: 1_795_183_380_000)),
    ("2026-11-20T15:03:00.5+01:00", .time(milliseconds: 1_795_183_380_500)),
  ]

  /// Texts of times relative to now, with the number of milliseconds before now.
  private static let relative: [(String, Int64)] = [
    ("10 minutes ago", 600_000), ("2h", 7_200_000), (" 1d12h ", 129_600_000), ("1 week 2 days ago", 777_600_000),
    ("90 sec", 90_000), ("1 min ago", 60_000),
  ]

  @Test func `times and positions are parsed in every documented form`() throws {
    for (text, moment) in Self.absolute { #expect(try HistoryMoment(text, nowMilliseconds: now) == moment) }
    for (text, before) in Self.relative {
      let moment = try HistoryMoment(text, nowMilliseconds: now)
      #expect(moment == .time(milliseconds: now - before), "\(text)")
    }
  }

  /// Texts with the column of their error; nil for texts that are valid.
  private static let refused: [(String, Int?)] = [
    ("", 1), ("ago", 1), ("ten minutes", 1), ("10", nil), ("10 fortnights ago", 4), ("10 minutes later", 12),
    ("5m ago ago", 4), ("-5", 1), ("2026-11-20", 1), ("2026-13-20T14:03:00Z", 1), ("1h30", 5),
    ("9223372036854775807w", 1), ("9999999999d", nil), (String(repeating: "1h", count: 80), 101), ("\u{7}h", 1),
  ]

  @Test func `an invalid text is refused with the column of the error`() {
    for (text, column) in Self.refused {
      do throws(HistoryMoment.Problem) {
        _ = try HistoryMoment(text, nowMilliseconds: now)
        #expect(column == nil, "\(text)")
      } catch {
        #expect(error.column == column, "\(text): \(error)")
        #expect(!error.description.contains("\u{7}"))
      }
    }
  }

  @Test func `durations are read without a suffix`() throws {
    #expect(try HistoryMoment.duration("7d") == 604_800_000)
    #expect(throws: HistoryMoment.Problem.self) { try HistoryMoment.duration("7d ago") }
    #expect(throws: HistoryMoment.Problem.self) { try HistoryMoment.duration("7") }
  }
}
