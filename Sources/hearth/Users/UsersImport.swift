import ArgumentParser
import HearthProgram
import HearthTree

/// `hearth users import`
struct UsersImport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import accounts with their password hashes: users keep their passwords.",
    discussion: """
      Reads what `firebase auth:export` writes, JSON or CSV, and what `hearth users export` writes. The hash parameters \
      of a Firebase project are shown in its console under Authentication, "Password hash parameters"; save that text \
      as it is, or as a JSON object with algorithm, signerKey, saltSeparator, rounds and memCost, and name the file \
      with --hash-config. Accounts that cannot be imported are listed on standard error and the command ends with 1; \
      all others are imported.
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument { case json, csv }

  @OptionGroup var admin: AdminOptions

  @Argument(help: ArgumentHelp("The exported file.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("The parameters that the file's password hashes were made with.", valueName: "file"))
  var hashConfig: String?

  @Option(help: ArgumentHelp("The file's format; if not given, its name's extension tells.", valueName: "json|csv"))
  var format: Format?

  @Flag(help: "Replace existing accounts with the same uid.")
  var overwrite = false

  func run() async throws {
    let parameters = try hashConfig.map { try HashConfig(path: $0).members } ?? []
    let format = format ?? (file.lowercased().hasSuffix(".csv") ? .csv : .json)
    try await admin.run { admin in
      var run = ImportRun(admin: admin, parameters: parameters, overwrites: overwrite, label: "importing \(file)")
      switch format {
      case .json:
        let reader = try ExportReader(path: file)
        while let user = try reader.next() { try await run.add(.success(user)) }
      case .csv:
        let reader = try CSVReader(path: file)
        while let row = try reader.next() { try await run.add(CSVUser.user(row)) }
      }
      try await run.end()
    }
  }
}

/// Sends accounts in batches and counts the results.
private struct ImportRun {
  /// What the interface takes at once; the bytes and values stay below its limits for a body.
  private static let usersMax = 1_000
  private static let bytesMax = 6 << 20
  private static let valuesMax = 60_000
  private static let clearPasswordsMax = 50

  let admin: Administration
  let parameters: [JSON.Member]
  let overwrites: Bool
  private var progress: Progress
  private var batch: [JSON] = []
  /// The place in the file of each account of the batch.
  private var places: [Int] = []
  private var batchBytes = 0
  private var batchValues = 0
  private var batchPasswords = 0
  private var seen = 0
  private var imported = 0
  private var failures = 0

  init(admin: Administration, parameters: [JSON.Member], overwrites: Bool, label: String) {
    self.admin = admin
    self.parameters = parameters
    self.overwrites = overwrites
    progress = Progress(label, unit: "accounts")
  }

  mutating func add(_ user: Result<JSON, CSVUser.Problem>) async throws {
    seen += 1
    switch user {
    case .failure(let problem): tell(seen, problem.text)
    case .success(let user):
      let renamed = Self.cleared(Self.renamed(user))
      let (bytes, values) = (renamed.text().count, Self.valueCount(renamed))
      let isFull =
        batch.count == Self.usersMax || batchBytes + bytes > Self.bytesMax || batchValues + values > Self.valuesMax
        || batchPasswords == Self.clearPasswordsMax
      if isFull { try await flush() }
      if renamed["rawPassword"] != nil { batchPasswords += 1 }
      batch.append(renamed)
      places.append(seen)
      batchBytes += bytes
      batchValues += values
    }
  }

  mutating func end() async throws {
    try await flush()
    progress.end(imported)
    admin.report(
      .object([.init("imported", .int(Int64(imported))), .init("failed", .int(Int64(failures)))]),
      (imported == 1 ? "1 account imported" : "\(imported) accounts imported")
        + (failures == 0 ? "" : ", \(failures) not"))
    if failures > 0 { throw ExitCode.failure }
  }

  private mutating func flush() async throws {
    guard !batch.isEmpty else { return }
    var members = parameters
    members.append(.init("users", .array(batch)))
    members.append(.init("allowOverwrite", .bool(overwrites)))
    let answer = try await admin.accounts(":batchCreate", members)
    var failed: Set<Int> = []
    for error in answer["error"]?.array ?? [] {
      let index = error["index"]?.int.flatMap { Int(exactly: $0) } ?? -1
      guard places.indices.contains(index), failed.insert(index).inserted else { continue }
      tell(places[index], error["message"]?.string ?? "refused", batch[index]["localId"]?.string)
    }
    imported += batch.count - failed.count
    (batch, places, batchBytes, batchValues, batchPasswords) = ([], [], 0, 0, 0)
    progress.show(imported)
  }

  private mutating func tell(_ place: Int, _ text: String, _ uid: String? = nil) {
    failures += 1
    let name = uid.map { " (\(TextTable.printable($0)))" } ?? ""
    Output.note("account \(place)\(name): \(TextTable.printable(text))")
  }

  /// Exports use another name for one field than the import interface does.
  private static func renamed(_ user: JSON) -> JSON {
    guard let members = user.members, user["lastLoginAt"] == nil else { return user }
    return .object(members.map { $0.name == "lastSignedInAt" ? .init("lastLoginAt", $0.value) : $0 })
  }

  /// Firebase's emulator exports passwords in clear, as `fakeHash:salt=SALT:password=PASSWORD`.
  private static func cleared(_ user: JSON) -> JSON {
    guard let members = user.members, let hash = user["passwordHash"]?.string, hash.hasPrefix("fakeHash:"),
      let found = hash.firstRange(of: ":password=")
    else { return user }
    let others = members.filter { !["passwordHash", "salt"].contains($0.name) }
    return .object(others + [.init("rawPassword", .string(String(hash[found.upperBound...])))])
  }

  private static func valueCount(_ value: JSON) -> Int {
    switch value {
    case .array(let elements): elements.reduce(1) { $0 + valueCount($1) }
    case .object(let members): members.reduce(1) { $0 + valueCount($1.value) }
    default: 1
    }
  }
}
