import Foundation
import Testing

/// Checks that the guide's tables of limits agree with the code.
@Suite struct LimitsGuideTests {
  static let guide = "Sources/Guide/Limits.md"

  /// A row: `| limit | 16 MiB | `TransportLimits.outboundBytesMax` | consequence for the client |`.
  struct Row {
    var number: Int
    var type: String
    var name: String
  }

  static func rows() throws -> [Row] {
    let units = ["": 1, "bytes": 1, "s": 1, "ms": 1, "percent": 1, "KiB": 1 << 10, "MiB": 1 << 20]
    return try Project.text(guide).matches(of: /\| ([0-9,]+) ?([A-Za-z]*) \| `([A-Za-z]+)\.([A-Za-z]+)` \|/).map {
      let digits = $0.output.1.filter { $0 != "," }
      let unit = try #require(units[String($0.output.2)], "\($0.output.0)")
      return Row(number: try #require(Int(digits)) * unit, type: String($0.output.3), name: String($0.output.4))
    }
  }

  @Test("every number agrees with its declaration")
  func numbersAreTrue() throws {
    let rows = try Self.rows()
    #expect(rows.count > 40)
    for row in rows {
      let declared = try Self.value(of: row.name, in: row.type)
      #expect(declared == row.number, "\(row.type).\(row.name) is \(declared.map(String.init) ?? "not there")")
    }
  }

  @Test("every row of the tables is parsed")
  func noRowIsPassedOver() throws {
    // The tables in front of the heading are about errors and machines.
    let parts = try Project.text(Self.guide).components(separatedBy: "\n## How to read the tables\n")
    #expect(parts.count == 2)
    let lines = parts[parts.count - 1].split(separator: "\n")
    let count = lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| limit |") }.count
    #expect(try Self.rows().count == count)
  }

  /// The files of `Sources` by the type in their name.
  private static let paths = Dictionary(
    Project.files(below: "Sources", ending: ".swift").map {
      (URL(filePath: $0).deletingPathExtension().lastPathComponent, $0)
    },
    uniquingKeysWith: { first, _ in first })

  /// Returns the value of `static let name` or `var name` in the file of that type: a number, a product, a shift, or
  /// another limit.
  static func value(of name: String, in type: String) throws -> Int? {
    guard let path = paths[type] else { return nil }
    let declaration = try Regex("(?:let|var) \(name)(?:: U?Int64)? = ([^\n]+)")
    guard let match = try Project.text(path).firstMatch(of: declaration), let text = match.output[1].substring else {
      return nil
    }
    return try number(String(text))
  }

  private static func number(_ text: String) throws -> Int? {
    if let reference = text.wholeMatch(of: /([A-Z][A-Za-z]+)(?:\.standard)?\.([A-Za-z]+)/) {
      return try value(of: String(reference.output.2), in: String(reference.output.1))
    }
    if let shift = text.wholeMatch(of: /([0-9_]+) << ([0-9]+)/) {
      return plain(shift.output.1).flatMap { left in plain(shift.output.2).map { left << $0 } }
    }
    return text.split(separator: " * ").reduce(1) { product, factor in
      product.flatMap { left in plain(factor).map { left * $0 } }
    }
  }

  private static func plain(_ text: Substring) -> Int? { Int(text.filter { $0 != "_" }) }
}
