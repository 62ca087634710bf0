import HearthMigration
import HearthProgram
import HearthRules
import HearthTree
import HearthWorkbench

/// The plan of a migration: its files, validated before anything is changed.
struct MigrationPlan {
  let dataFile: String
  let usersFile: String?
  let rulesFile: String?
  let hashParameters: [JSON.Member]
  let passwords: KnownPasswords?
  let requests: RecordedRequests?
  /// True when existing data is removed, and users are replaced.
  let replaces: Bool
  let resumes: Bool
  /// The text of the rules file, once it was validated.
  private let rulesText: String?

  /// - Throws: for a file that is unreadable as a whole.
  init(_ command: MigrateFirebase) throws {
    dataFile = command.data
    usersFile = command.users
    rulesFile = command.rules
    hashParameters = try command.hashConfig.map { try HashConfig(path: $0).members } ?? []
    passwords = try command.passwords.map { try KnownPasswords(path: $0) }
    requests = try command.requests.map { try RecordedRequests(path: $0) }
    (replaces, resumes) = (command.force, command.resume)
    rulesText = try command.rules.map { file in
      guard let bytes = try FileInput.content(of: file, bytesMax: TextFile.sizeBytesMax),
        let text = String(validating: bytes, as: UTF8.self)
      else { throw AdminFailure("\(file) is not UTF-8 text, or has more than \(TextFile.sizeBytesMax) bytes") }
      return text
    }
  }

  // MARK: Validation

  /// Validates data, users and rules.
  func validate(_ outcome: inout MigrationReport) throws {
    outcome.set(try validateData())
    if let usersFile { outcome.set(try validateUsers(usersFile)) }
    if let rulesFile, let rulesText { outcome.set(Self.validateRules(rulesFile, rulesText)) }
  }

  private func validateData() throws -> MigrationReport.Part {
    let input = try FileInput(path: dataFile)
    var progress = Progress("checking \(dataFile)", unit: "KB", total: input.sizeBytes.map { $0 >> 10 })
    var check = ExportCheck(file: dataFile)
    var part = MigrationReport.Part(name: "data", file: dataFile, outcome: "")
    do {
      while let piece = try input.next() {
        try check.append(piece)
        progress.show(input.readBytes >> 10)
      }
      try check.finish()
      part.findings = check.findings
    } catch let error as JSONError {
      part.findings = check.findings
      part.findings.add(
        MigrationFinding(
          .refused, place: check.place(of: error), subject: "the text", "\(error.message); the rest was not read"))
    }
    let figures = check.figures
    part.figures = [
      "values": .int(Int64(figures.leafCount)), "bytes": .int(Int64(figures.sizeBytes)),
      "depth": .int(Int64(figures.depth)),
    ]
    part.outcome = NumberFormat.counted(figures.leafCount, "value") + Self.suffix(part.findings)
    return part
  }

  private func validateUsers(_ file: String) throws -> MigrationReport.Part {
    let accounts = try AccountsFile(path: file)
    var part = MigrationReport.Part(name: "users", file: file, outcome: "")
    var check = UsersCheck(file: file, hasHashParameters: !hashParameters.isEmpty)
    while let user = try accounts.next() {
      switch user {
      case .success(let user): check.add(user)
      case .failure(let problem): check.refuse(problem.text)
      }
    }
    part.findings = check.findings
    if let note = accounts.note {
      part.findings.add(MigrationFinding(.note, place: file, subject: "the columns", note))
    }
    part.figures = ["count": .int(Int64(check.count))]
    part.outcome = NumberFormat.counted(check.count, "user") + Self.suffix(part.findings)
    return part
  }

  /// Imports the users into a temporary folder: the report contains every user that the import would refuse.
  ///
  /// - Parameter options: The options of the folder with the settings. Its accounts are ignored.
  func tryUsers(_ options: AdminOptions, _ outcome: inout MigrationReport) async throws {
    guard let usersFile, var part = outcome.part("users") else { return }
    let folder = try Folder.makeTemporary()
    defer { Folder.remove(folder) }
    _ = try DataOption.parse(["--data", folder]).makeIfEmpty()
    var settings = FolderSettings.read(in: try options.folder()).with(options)
    settings.journal = nil
    let channel = try FolderChannel(
      dataDirectory: folder, settings: settings, keys: try DataOption.keys(in: folder))
    let result: Result<UsersOutcome, any Error>
    do {
      let target = Administration(channel: channel, projectID: channel.projectID, printsJSON: false)
      result = .success(try await importUsers(usersFile, to: target, isTrial: true))
    } catch {
      result = .failure(error)
    }
    await channel.close()
    for refusal in try result.get().refusals { part.findings.add(refusal) }
    if case .int(let count)? = part.figures.members?.first?.value {
      part.outcome = NumberFormat.counted(Int(count), "user") + Self.suffix(part.findings)
    }
    outcome.set(part)
  }

  private static func validateRules(_ file: String, _ text: String) -> MigrationReport.Part {
    var part = MigrationReport.Part(name: "rules", file: file, outcome: "")
    do throws(RulesError) {
      let rules = try RuleSet.compile(text, keepsExpressions: true)
      for finding in Lint.findings(in: rules, file: file) where finding.code.severity == .warning {
        part.findings.add(
          MigrationFinding(
            .note, place: "\(file):\(finding.diagnostic.line):\(finding.diagnostic.column)",
            subject: finding.code.rawValue, finding.diagnostic.message))
      }
      part.outcome = "correct" + suffix(part.findings)
    } catch {
      for problem in error.diagnostics {
        part.findings.add(
          MigrationFinding(
            .refused, place: "\(file):\(problem.line):\(problem.column)", subject: "the rules", problem.message))
      }
      part.outcome = "has errors"
    }
    return part
  }

  private static func suffix(_ findings: MigrationFindings) -> String {
    let words = [(MigrationFinding.Kind.refused, "refused"), (.different, "different"), (.note, "to note")]
    return words.filter { findings.count($0.0) > 0 }.map { ", \(findings.count($0.0)) \($0.1)" }.joined()
  }

  // MARK: Migration

  func migrateData(to client: DatabaseClient, _ outcome: inout MigrationReport) async throws {
    guard var part = outcome.part("data") else { return }
    try await client.createDatabase()
    let root = DataPath(Location(path: .root))
    var run = DataImport(
      client: client, path: root, input: try FileInput(path: dataFile), file: dataFile,
      record: ImportRecord(path: dataFile + ".import"))
    let goesOn = try resumes && run.isInterrupted
    // Without a record of its progress, the import has either completed or not begun: the data at the root shows which.
    var isThere = false
    if resumes, !goesOn { isThere = try await client.kind(at: root) != .nothing }
    if !isThere {
      let start = try await run.start(resumes: goesOn, replaces: replaces)
      try await run.send(after: start, removingFirst: replaces)
      if let difference = run.verification.difference {
        let kind: MigrationFinding.Kind = run.verification.isEqual == nil ? .note : .different
        part.findings.add(MigrationFinding(kind, place: dataFile, subject: "/", "the data \(difference)"))
      }
    }
    part.outcome += isThere ? ", imported before" : ", imported"
    if run.verification.isEqual == true { part.outcome += ", verified" }
    outcome.set(part)
  }

  func migrateUsers(to administration: Administration, _ outcome: inout MigrationReport) async throws {
    guard let usersFile, var part = outcome.part("users") else { return }
    let run = try await importUsers(usersFile, to: administration, isTrial: false)
    // The server's findings replace the earlier ones, and are more complete.
    var findings = MigrationFindings()
    for finding in part.findings.kept where finding.kind != .refused { findings.add(finding) }
    for refusal in run.refusals { findings.add(refusal) }
    part.findings = findings
    part.figures["imported"] = .int(Int64(run.importedCount))
    part.figures["notImported"] = .int(Int64(run.refusedCount))
    part.outcome =
      NumberFormat.counted(run.importedCount, "user") + " imported"
      + (run.refusedCount == 0 ? "" : ", \(NumberFormat.grouped(Double(run.refusedCount))) refused")
    outcome.set(part)
  }

  private typealias UsersOutcome = (importedCount: Int, refusedCount: Int, refusals: [MigrationFinding])

  private func importUsers(
    _ file: String, to administration: Administration, isTrial: Bool
  ) async throws -> UsersOutcome {
    var refusals: [MigrationFinding] = []
    var run = AccountsImport(
      admin: administration, parameters: hashParameters, overwrites: replaces || resumes,
      skipsHashes: isTrial && hashParameters.isEmpty, label: isTrial ? nil : "importing \(file)"
    ) { subject, reason in
      if refusals.count < MigrationFindings.keptMax {
        refusals.append(MigrationFinding(.refused, place: file, subject: subject, reason))
      }
    }
    try await run.send(try AccountsFile(path: file))
    return (run.importedCount, run.refusedCount, refusals)
  }

  func migrateRules(to client: RulesClient, _ outcome: inout MigrationReport) async throws {
    guard let rulesText, var part = outcome.part("rules") else { return }
    let answer = try await client.send(
      .POST, "/versions.json",
      ["source": .string(rulesText), "tool": "hearth migrate firebase, by \(UserName.own)"])
    let id = answer["version"]?["id"]?.int ?? 0
    part.outcome +=
      answer["isNew"]?.bool == false ? ", in force before as version \(id)" : ", in force as version \(id)"
    part.figures["version"] = .int(id)
    outcome.set(part)
  }

  // MARK: Verification

  func checkPasswords(at administration: Administration, _ outcome: inout MigrationReport) async throws {
    if let passwords { outcome.set(try await passwords.check(at: administration)) }
  }

  func askRequests(of client: RulesClient, _ outcome: inout MigrationReport) async throws {
    if let requests { outcome.set(try await requests.ask(client)) }
  }
}
