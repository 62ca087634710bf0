import Foundation
import RandomTestKit
import Testing

@testable import HearthTree

@Suite struct TimestampTests {
  @Test("times in Foundation's format are parsed, over four centuries")
  func differential() throws {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var milliseconds: Int64 = -2_208_988_800_000
    while milliseconds < 10_413_792_000_000 {
      let text = formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
      #expect(Timestamp.milliseconds(text) == milliseconds, "\(text)")
      milliseconds += 86_400_000 * 17 + 12_345_678
    }
  }

  @Test("times in file names have no colons")
  func compact() { #expect(Timestamp.compact(milliseconds: 1_795_449_133_123) == "20261123T155213.123Z") }

  @Test("times are formatted to the millisecond, from the first year to the last")
  func writing() throws {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var random = SeededRandom(seed: 5)
    var moments: [Int64] = [
      0, 1, -1, 951_782_400_000, 951_868_799_999, 4_107_542_400_000, -86_400_000, 1_795_262_400_123,
    ]
    for _ in 0..<500 { moments.append(Int64(random.below(8_000_000_000_000)) - 2_000_000_000_000) }
    for moment in moments {
      let date = try style.parse(Timestamp.text(milliseconds: moment))
      #expect(Int64((date.timeIntervalSince1970 * 1000).rounded()) == moment)
    }
    #expect(Timestamp.text(milliseconds: 951_782_400_000) == "2000-02-29T00:00:00.000Z")
    #expect(Timestamp.text(milliseconds: .min) == "0001-01-01T00:00:00.000Z")
    #expect(Timestamp.text(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
  }

  @Test(
    "offsets, fractions and lower case are parsed",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1970-01-01T02:00:00+02:00", 0), ("1969-12-31t19:00:00-0500", 0),
      ("2024-02-29T12:00:00.5z", 1_709_208_000_500), ("2024-02-29T12:00:00.123456789Z", 1_709_208_000_123),
    ] as [(String, Int64)])
  func forms(_ text: String, _ milliseconds: Int64) {
    #expect(Timestamp.milliseconds(text) == milliseconds)
  }

  @Test(
    "invalid times are refused",
    arguments: [
      "", "2024", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z",
      "2024-01-32T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:00",
      "2024-01-01 00:00:00Z",
      "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Zx", "+024-01-01T00:00:00Z", "2024-01-01T00:00:00+9:00",
      "٢٠٢٤-01-01T00:00:00Z",
    ])
  func refusals(_ text: String) {
    #expect(Timestamp.milliseconds(text) == nil)
  }
}
