import ArgumentParser
import HearthProgram
import HearthTree

/// The command `hearth users import`.
struct UsersImport: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import accounts with their password hashes: users keep their passwords.",
    discussion: """
      Reads the output of `firebase auth:export` (JSON or CSV) and of `hearth users export`, plain or compressed with \
      gzip or Zstandard. The Firebase console \
      shows the hash parameters of a project under Authentication, "Password hash parameters": save that text as it \
      is, or as a JSON object with algorithm, signerKey, saltSeparator, rounds and memCost, and name the file with \
      --hash-config. Exits with 0 when all accounts were imported, and 1 when some were refused, which are listed on \
      standard error; all others are imported.
      """)

  @OptionGroup var admin: AdminOptions

  @OptionGroup var tenant: TenantOption

  @Argument(help: ArgumentHelp("The exported file.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("The parameters of the file's password hashes.", valueName: "file"))
  var hashConfig: String?

  @Option(help: ArgumentHelp("The file's format. If not given, from the extension of its name.", valueName: "json|csv"))
  var format: AccountsFile.Format?

  @Flag(help: "Replace existing accounts with the same uid.")
  var overwrite = false

  func run() async throws {
    let parameters = try hashConfig.map { try HashConfig(path: $0).members } ?? []
    try await admin.run(in: tenant) { admin in
      var run = AccountsImport(
        admin: admin, parameters: parameters, overwrites: overwrite, label: "importing \(file)"
      ) { subject, reason in
        Output.note("\(subject): \(reason)")
      }
      let accounts = try AccountsFile(path: file, format: format)
      try await run.send(accounts)
      if let note = accounts.note { Output.note("note: \(note)") }
      for (count, text) in run.claims.notes { Output.note("note: \(NumberFormat.counted(count, "account")): \(text)") }
      let (imported, refused) = (run.importedCount, run.refusedCount)
      admin.report(
        ["imported": .int(Int64(imported)), "failed": .int(Int64(refused))],
        (imported == 1 ? "1 account imported" : "\(imported) accounts imported")
          + (refused == 0 ? "" : ", \(refused) refused"))
      if refused > 0 { throw ExitCode.failure }
    }
  }
}
