import ArgumentParser
import Glibc
import HearthProgram
import HearthTree

/// The command `hearth users export`.
struct UsersExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export all accounts with their password hashes, in the format of `firebase auth:export`.",
    discussion: """
      The file is readable only by its owner; keep it as safe as the passwords themselves. The export is recorded in \
      the audit trail. `hearth users import` restores the accounts without loss.
      """)

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "file"))
  var file: String

  @Flag(help: "Replace the file if it exists.")
  var force = false

  func run() async throws {
    let isToStandardOutput = file == "-"
    if !isToStandardOutput, !force, access(file, F_OK) == 0 {
      throw ValidationError("\(file) exists; --force replaces it.")
    }
    try await admin.run(in: tenant) { admin in
      let writer = try isToStandardOutput ? nil : FileWriter(replacing: file, mode: 0o600)
      func write(_ bytes: [UInt8]) throws {
        if let writer { try writer.write(bytes) } else { Output.raw(bytes, to: STDOUT_FILENO) }
      }
      var progress = Progress("exporting", unit: "accounts")
      var count = 0
      var token: String?
      try write(Array("{\"users\": [".utf8))
      repeat {
        // Half of the maximum page, because large users must fit into one JSON response.
        var members: JSON = ["maxResults": 500]
        if let token { members["nextPageToken"] = .string(token) }
        let page = try await admin.hearth("users:export", members)
        let users = page["users"]?.array ?? []
        for user in users {
          try write(Array((count == 0 ? "\n" : ",\n").utf8) + user.text())
          count += 1
        }
        progress.show(count)
        token = users.isEmpty ? nil : page["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
      } while token != nil
      try write(Array("\n]}\n".utf8))
      try writer?.finish()
      progress.end(count)
    }
  }
}
