import HearthTree

/// An account from a row of `firebase auth:export --format=csv`. The format has no header: a column is known by its
/// index, and versions of the command add columns at the end.
enum CSVUser {
  /// The reason that a row is no account.
  struct Problem: Error { var text: String }

  /// The columns of the account itself, by index.
  private static let columns: [(index: Int, name: String)] = [
    (0, "localId"), (1, "email"), (3, "passwordHash"), (4, "salt"), (5, "displayName"), (6, "photoUrl"),
    (23, "createdAt"), (24, "lastLoginAt"), (25, "phoneNumber"), (27, "customAttributes"),
  ]

  /// The columns of the providers, four each: the provider's user id, address, name, picture.
  private static let providers: [(index: Int, id: String)] = [
    (7, "google.com"), (11, "facebook.com"), (15, "twitter.com"), (19, "github.com"), (28, "apple.com"),
    (32, "microsoft.com"), (36, "gc.apple.com"), (40, "playgames.google.com"), (44, "linkedin.com"), (48, "yahoo.com"),
  ]

  /// The number of columns up to the dates, with which rows of old exports end.
  private static let columnsMin = 25
  /// The number of known columns; further ones are ignored.
  static let columnsKnown = 52

  static func user(_ row: [String]) -> Result<JSON, Problem> {
    guard row.count >= columnsMin else {
      return .failure(Problem(text: "has \(row.count) columns; an export has at least \(columnsMin)"))
    }
    var members: JSON = [:]
    for (index, name) in columns where index < row.count && !row[index].isEmpty {
      members[name] = .string(row[index])
    }
    if row[2] == "true" || row[2] == "false" { members["emailVerified"] = .bool(row[2] == "true") }
    if row.count > 26, row[26] == "true" { members["disabled"] = true }
    let identities = providers.compactMap { identity($0.id, row.dropFirst($0.index).prefix(4)) }
    members["providerUserInfo"] = .array(identities)
    return .success(members)
  }

  private static func identity(_ id: String, _ fields: ArraySlice<String>) -> JSON? {
    let fields = Array(fields)
    guard let rawID = fields.first, !rawID.isEmpty else { return nil }
    var members: JSON = ["providerId": .string(id), "rawId": .string(rawID)]
    for (index, name) in [(1, "email"), (2, "displayName"), (3, "photoUrl")]
    where index < fields.count && !fields[index].isEmpty {
      members[name] = .string(fields[index])
    }
    return members
  }
}
