import HearthIdentity
import HearthMigration
import HearthProgram
import HearthTree

/// The import of accounts in batches, which counts the results.
struct AccountsImport {
  /// The maximum number of users in one request; the bytes and values stay below the interface's limits for a body.
  private static let usersMax = 1_000
  private static let bytesMax = 6 << 20
  private static let valuesMax = 60_000
  private static let clearPasswordsMax = 50

  let admin: Administration
  let parameters: [JSON.Member]
  let overwrites: Bool
  /// True when password hashes are omitted, for a trial without their parameters.
  private let skipsHashes: Bool
  private(set) var claims = ShadowedClaims()
  private var progress: Progress?
  private var batch: [JSON] = []
  /// The places of the batch's accounts in the file.
  private var places: [Int] = []
  private var batchBytes = 0
  private var batchValues = 0
  private var batchPasswords = 0
  private var readCount = 0
  private(set) var importedCount = 0
  private(set) var refusedCount = 0
  private let refused: (_ subject: String, _ reason: String) -> Void

  /// - Parameters:
  ///   - parameters: The parameters of the accounts' hashes, see ``HashConfig``.
  ///   - overwrites: True when accounts of the same uid are replaced.
  ///   - skipsHashes: True when password hashes are omitted.
  ///   - label: The label of the progress; `nil` shows none.
  ///   - refused: Receives each account that is not imported, by its place in the file and its uid.
  init(
    admin: Administration, parameters: [JSON.Member], overwrites: Bool, skipsHashes: Bool = false, label: String?,
    refused: @escaping (_ subject: String, _ reason: String) -> Void
  ) {
    self.admin = admin
    self.parameters = parameters
    self.overwrites = overwrites
    self.skipsHashes = skipsHashes
    self.refused = refused
    progress = label.map { Progress($0, unit: "accounts") }
  }

  /// Sends every account of an export.
  ///
  /// - Throws: when the file is unreadable, or the server does not answer.
  mutating func send(_ file: AccountsFile) async throws {
    while let user = try file.next() { try await add(user) }
    try await flush()
    progress?.end(importedCount)
  }

  private mutating func add(_ user: Result<JSON, CSVUser.Problem>) async throws {
    readCount += 1
    switch user {
    case .failure(let problem): reportRefusal(readCount, problem.text)
    case .success(let user):
      claims.add(user)
      var renamed = EmulatedPassword.cleared(Self.renamed(user))
      if skipsHashes, let members = renamed.members {
        renamed = .object(members.filter { $0.name != "passwordHash" && $0.name != "salt" })
      }
      let (bytes, values) = (renamed.text().count, Self.valueCount(renamed))
      let isFull =
        batch.count == Self.usersMax || batchBytes + bytes > Self.bytesMax || batchValues + values > Self.valuesMax
        || batchPasswords == Self.clearPasswordsMax
      if isFull { try await flush() }
      if renamed["rawPassword"] != nil { batchPasswords += 1 }
      batch.append(renamed)
      places.append(readCount)
      batchBytes += bytes
      batchValues += values
    }
  }

  private mutating func flush() async throws {
    guard !batch.isEmpty else { return }
    var members = parameters
    members.append(.init("users", .array(batch)))
    members.append(.init("allowOverwrite", .bool(overwrites)))
    let answer = try await admin.accounts(":batchCreate", .object(members))
    var failed: Set<Int> = []
    for error in answer["error"]?.array ?? [] {
      let index = error["index"]?.int.flatMap { Int(exactly: $0) } ?? -1
      guard places.indices.contains(index), failed.insert(index).inserted else { continue }
      reportRefusal(places[index], error["message"]?.string ?? "refused", batch[index]["localId"]?.string)
    }
    importedCount += batch.count - failed.count
    (batch, places, batchBytes, batchValues, batchPasswords) = ([], [], 0, 0, 0)
    progress?.show(importedCount)
  }

  private mutating func reportRefusal(_ place: Int, _ reason: String, _ uid: String? = nil) {
    refusedCount += 1
    refused("account \(place)" + (uid.map { " (\(TextTable.printable($0)))" } ?? ""), TextTable.printable(reason))
  }

  /// Returns the user with an export's name of one field replaced by that of the import interface.
  private static func renamed(_ user: JSON) -> JSON {
    guard let members = user.members, user["lastLoginAt"] == nil else { return user }
    return .object(members.map { $0.name == "lastSignedInAt" ? .init("lastLoginAt", $0.value) : $0 })
  }

  private static func valueCount(_ value: JSON) -> Int {
    switch value {
    case .array(let elements): elements.reduce(1) { $0 + valueCount($1) }
    case .object(let members): members.reduce(1) { $0 + valueCount($1.value) }
    default: 1
    }
  }
}
