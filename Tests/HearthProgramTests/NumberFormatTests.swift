import HearthProgram
import Testing

/// Tests of readable numbers.
@Suite struct NumberFormatTests {
  @Test("counts are singular and plural, and thousands are grouped")
  func counted() {
    #expect(
      [0, 1, 2, 1_234].map { NumberFormat.counted($0, "backup") } == [
        "0 backups", "1 backup", "2 backups", "1,234 backups",
      ])
  }
}
