import HearthMigration
import HearthProgram
import HearthTree

/// Known passwords of some users, to check that they can sign in after an import.
struct KnownPasswords {
  /// The maximum number of concurrent requests that the server checks.
  private static let requestCountMax = 20
  /// The maximum number of passwords, because each costs the server up to a second.
  private static let countMax = 10_000

  private let path: String
  private let rows: [(account: String, password: String)]

  /// - Parameter path: A CSV file with an address or uid, and the password, on each line.
  init(path: String) throws {
    self.path = path
    let reader = try CSVReader(path: path)
    var rows: [(String, String)] = []
    while let row = try reader.next() {
      guard row.count == 2, !row[0].isEmpty, !row[1].isEmpty else {
        throw AdminFailure(
          "\(path): row \(rows.count + 1) must have an e-mail address or uid and a password, not \(row.count) fields")
      }
      guard rows.count < Self.countMax else { throw AdminFailure("\(path): more than \(Self.countMax) passwords") }
      rows.append((row[0], row[1]))
    }
    self.rows = rows
  }

  /// Checks the passwords on the server. They are sent nowhere else.
  func check(at administration: Administration) async throws -> MigrationReport.Part {
    var part = MigrationReport.Part(name: "passwords", file: path, outcome: "")
    var agreed = 0
    var progress = Progress("checking \(path)", unit: "passwords", total: rows.count)
    for start in stride(from: 0, to: rows.count, by: Self.requestCountMax) {
      let batch = rows[start..<min(rows.count, start + Self.requestCountMax)]
      let asked = batch.map { row in
        [
          row.account.contains("@") ? "email" : "localId": .string(row.account), "password": .string(row.password),
        ] as JSON
      }
      let answer = try await administration.hearth("users:checkPasswords", ["passwords": .array(asked)])
      guard let verdicts = answer["verdicts"]?.array, verdicts.count == batch.count else {
        throw AdminFailure("\(administration.place) did not return the results of \(batch.count) passwords")
      }
      for (offset, (row, verdict)) in zip(batch, verdicts).enumerated() {
        guard let problem = Self.problem(verdict.string) else {
          agreed += 1
          continue
        }
        part.findings.add(
          MigrationFinding(.refused, place: "\(path): row \(start + offset + 1)", subject: row.account, problem))
      }
      progress.show(start + batch.count)
    }
    part.figures = ["agreed": .int(Int64(agreed)), "count": .int(Int64(rows.count))]
    part.outcome = "\(agreed) of \(rows.count) match"
    return part
  }

  private static func problem(_ verdict: String?) -> String? {
    switch verdict {
    case "right": nil
    case "wrong": "the password does not match the imported hash; are the hash parameters those of the project?"
    case "unknown": "there is no such account"
    case "missing": "the account has no password"
    case "disabled": "the password is right, but the account is disabled"
    default: "the server returned an unknown result"
    }
  }
}
