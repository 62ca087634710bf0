import Foundation
import Testing

/// Checks the tables of the security list: each row names an existing type or test that enforces it.
@Suite struct StandardsTableTests {
  private struct Row {
    var subject: String
    var text: String
    var keepers: [String]
  }

  /// Returns the rows of the tables whose third column is "kept by".
  private static func rows() throws -> [Row] {
    var (rows, isTable): ([Row], Bool) = ([], false)
    for line in try Project.text(SecurityListTests.guide).split(separator: "\n", omittingEmptySubsequences: false) {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("|"), cells.count == 3 else {
        isTable = false
        continue
      }
      if cells[2] == "kept by" {
        isTable = true
      } else if isTable, !cells[2].hasPrefix("---") {
        rows.append(Row(subject: cells[0], text: cells[1], keepers: cells[2].components(separatedBy: ", ")))
      }
    }
    return rows
  }

  @Test("each row names existing lines of the list or types, or says that it is not applicable")
  func everyRowIsKept() throws {
    let known = Set(try GuideListItem.all(in: SecurityListTests.guide).map(\.number))
    // Types are found by the names of their files.
    let types = Set(
      ["Sources", "Plugins"].flatMap { Project.files(below: $0, ending: ".swift") }
        .compactMap { $0.split(separator: "/").last?.dropLast(6) }.map { String($0) })
    let rows = try Self.rows()
    #expect(rows.count > 60)
    for row in rows {
      for keeper in row.keepers {
        if let number = Int(keeper) {
          #expect(known.contains(number), "\(row.subject): \(number)")
        } else if keeper.hasPrefix("`") {
          let name = keeper.trimmingCharacters(in: CharacterSet(charactersIn: "`"))
          #expect(types.contains(name), "\(row.subject): there is no type \(name)")
        } else {
          #expect(keeper == "n/a" && row.text.hasPrefix("not applicable"), "\(row.subject): \(keeper)")
        }
      }
    }
  }

  @Test("the tables have every section of their standards")
  func sections() throws {
    let subjects = try Self.rows().map(\.subject).joined(separator: " ")
    let bcp = ["2.1", "2.1.1", "2.1.2", "2.2.1", "2.2.2", "2.3", "2.4", "2.5", "2.6"] + (1...17).map { "4.\($0)" }
    let asvs = (1...8).map { "6.\($0)" } + (1...6).map { "7.\($0)" } + ["9.1", "9.2"] + (1...7).map { "10.\($0)" }
    for section in bcp + asvs { #expect(subjects.contains(section), "\(section)") }
  }
}
