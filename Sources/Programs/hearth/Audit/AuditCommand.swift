import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth audit`.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Read the audit trail of accounts, keys and settings.",
    subcommands: [Tail.self, Verify.self])

  /// The command `hearth audit tail`.
  struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "tail", abstract: "Show the newest records, oldest first.",
      discussion: "With --json, prints one record on each line.")

    @OptionGroup var admin: AdminOptions

    @OptionGroup var tenant: TenantOption

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("The number of records to show.", valueName: "count"))
    var count = 20

    @Flag(name: [.customShort("f"), .long], help: "Print new records as they are added, until interrupted.")
    var follow = false

    func validate() throws {
      guard (1...1_000).contains(count) else { throw ValidationError("--count must be 1 to 1000.") }
    }

    func run() async throws {
      try await admin.run(in: tenant) { admin in
        var last: Int64?
        repeat {
          var members: JSON = ["limit": .int(Int64(last == nil ? count : 1_000))]
          if let last { members["from"] = .int(last + 1) }
          let records = try await admin.hearth("audit:tail", members)["records"]?.array ?? []
          for record in records {
            if admin.printsJSON { Output.json(record) } else { Output.line(AuditLine(record: record).text) }
            last = record["seq"]?.int ?? last
          }
          if follow { try await Task.sleep(for: .seconds(1)) }
        } while follow
      }
    }
  }

  /// The command `hearth audit verify`.
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Verify by the chain of hashes that no record was changed, removed or reordered.",
      discussion: """
        Exits with 0 when the trail is unchanged, and 1 when it is not, with the first changed record. A user with \
        write access to the folder could also write a complete new trail: store the last hash elsewhere, and pass it \
        as --anchor next time.
        """)

    @OptionGroup var admin: AdminOptions

    @OptionGroup var tenant: TenantOption

    @Option(
      help: ArgumentHelp(
        "A record and its hash from an earlier check; the chain must contain them.", valueName: "seq:hash"))
    var anchor: AuditAnchor?

    func run() async throws {
      let isWhole = try await admin.run(in: tenant) { admin in
        let answer = try await admin.hearth("audit:verify", anchor.map { ["anchor": $0.json] } ?? [:])
        let isWhole = answer["isWhole"]?.bool == true
        admin.report(answer, Self.text(answer, isWhole: isWhole))
        return isWhole
      }
      if !isWhole { throw ExitCode.failure }
    }

    private static func text(_ answer: JSON, isWhole: Bool) -> String {
      if isWhole {
        let head = answer["head"]?["hash"]?.string.map { ", last hash \($0)" } ?? ""
        return "whole: \(answer["records"]?.int ?? 0) records\(head)"
      }
      let place = answer["broken"]?["sequence"]?.int.map { "record \($0)" } ?? "the trail"
      return "broken: \(place): "
        + TextTable.printable(answer["broken"]?["reason"]?.string ?? "no reason given")
    }
  }
}

/// A record of the trail that was written down elsewhere.
struct AuditAnchor: ExpressibleByArgument {
  var sequence: Int64
  /// The hash in 64 hexadecimal digits.
  var hash: String

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0, parts[1].utf8.count == 64,
      parts[1].allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    self.sequence = sequence
    hash = parts[1].lowercased()
  }

  var json: JSON { ["sequence": .int(sequence), "hash": .string(hash)] }
}

/// The line of an audit record for readers.
struct AuditLine {
  var record: JSON

  var text: String {
    var words = [record["time"]?.string ?? "", record["event"]?.string ?? "?"]
    for name in ["uid", "email", "ip", "detail"] {
      if let value = record[name]?.string, !value.isEmpty { words.append("\(name)=\(value)") }
    }
    return TextTable.printable(words.joined(separator: "  "))
  }
}
