import Foundation
import HearthTestKit
import Testing

@testable import HearthAccounts

@Suite struct AuditTextTests {
  @Test(
    "an address is told without its owner's name",
    arguments: [
      ("alice@example.com", "a***@example.com"), ("a@example.com", "***@example.com"), ("é@x", "***@x"),
      ("nothing", "***"), ("", "***"), ("a@b@c", "a***@c"), ("🙂b@x", "🙂***@x"),
    ])
  func masking(email: String, masked: String) {
    #expect(AuditText.masked(email) == masked)
  }

  @Test("times are those of the calendar, to the millisecond, from the first year to the last")
  func times() throws {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var random = SimulationRandom(seed: 5)
    var moments: [Int64] = [
      0, 1, -1, 951_782_400_000, 951_868_799_999, 4_107_542_400_000, -86_400_000, 1_795_262_400_123,
    ]
    for _ in 0..<500 { moments.append(Int64(random.below(8_000_000_000_000)) - 2_000_000_000_000) }
    for moment in moments {
      let date = try style.parse(AuditText.time(milliseconds: moment))
      #expect(Int64((date.timeIntervalSince1970 * 1000).rounded()) == moment)
    }
    #expect(AuditText.time(milliseconds: 951_782_400_000) == "2000-02-29T00:00:00.000Z")
    #expect(AuditText.time(milliseconds: .min) == "0001-01-01T00:00:00.000Z")
    #expect(AuditText.time(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
  }

  @Test("a text that is too long is cut, between characters")
  func cutting() {
    #expect(AuditText.clean("abc", sizeBytesMax: 3) == "abc")
    #expect(AuditText.clean("abcd", sizeBytesMax: 3) == "abc…")
    #expect(AuditText.clean("a€", sizeBytesMax: 3) == "a…")
    #expect(AuditText.clean("a\n", sizeBytesMax: 3) == "a…")
  }
}
