import HearthAccounts
import HearthTree

/// The endpoints for many accounts at once, for administrators.
struct BatchEndpoints: EndpointGroup {
  let accounts: Accounts

  /// The maximum number of users in one response, import or deletion.
  static let usersMax: Int64 = 1_000

  /// A page of all accounts, by uid.
  func get(_ call: IdentityCall) async throws(AccountError) -> JSON {
    _ = try call.administrator()
    let page = try UserPage(call, of: accounts, countDefault: 20)
    var reply = ReplyObject(kind: "DownloadAccount")
    reply.set("users", list: page.users.map { UserInfoAnswer.json($0, tenant: accounts.tenantID) })
    // A full page has the token of a next page, which may be empty, as in Firebase Authentication; its clients' tests expect it.
    if page.isFull { reply.set("nextPageToken", page.users.last?.uid) }
    return reply.json
  }

  /// Deletes up to 1,000 accounts in one transaction. Those that are not disabled stay, unless `force` is set.
  func delete(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let administrator = try call.administrator()
    let uids = try call.texts("localIds") ?? []
    guard (1...Self.usersMax).contains(Int64(uids.count)) else { throw AccountError(.listTooLong) }
    let isForced = try call.bool("force") ?? false
    let kept = try await accounts.administration.users.delete(uids, isForced: isForced, by: administrator)
    let message = AccountError(.notDisabled, "Disable the account before batch deletion.").message
    var reply = ReplyObject(kind: "BatchDeleteAccounts")
    reply.set(
      "errors",
      list: kept.map { index, uid in
        .object([
          JSON.Member("index", .int(Int64(index))), JSON.Member("localId", .string(uid)),
          JSON.Member("message", .string(message)),
        ])
      })
    return reply.json
  }

  /// Accounts by expression, or a sorted range of all.
  func query(_ call: IdentityCall) async throws(AccountError) -> JSON {
    _ = try call.administrator()
    let limit = try call.int("limit") ?? 500
    let offset = try call.int("offset") ?? 0
    guard (1...500).contains(limit), (0...Self.sortedUsersMax).contains(offset) else {
      throw AccountError(.invalidPageSelection)
    }
    var users = if let list = call.value("expression") { try matches(list, call) } else { try allUsers() }
    let isDescending = try call.text("order") == "DESC"
    try Self.sort(&users, by: try call.text("sortBy") ?? "USER_ID")
    if isDescending { users.reverse() }
    let count = JSON.string(String(users.count))
    if try call.bool("returnUserInfo") == false { return .object([JSON.Member("recordsCount", count)]) }
    let range = users.dropFirst(Int(offset)).prefix(Int(limit))
    return .object([
      JSON.Member("recordsCount", count),
      JSON.Member("userInfo", .array(range.map { UserInfoAnswer.json($0, tenant: accounts.tenantID) })),
    ])
  }

  /// The limit for a sorted query; a listing in pages has none.
  private static let sortedUsersMax: Int64 = 100_000

  private func allUsers() throws(AccountError) -> [UserRecord] {
    let users = accounts.store.view.users(after: nil, limit: Int(Self.sortedUsersMax) + 1)
    guard users.count <= Self.sortedUsersMax else {
      throw AccountError(.invalidPageSelection, "too many accounts to sort; read them in pages")
    }
    return users
  }

  private func matches(_ list: JSON, _ call: IdentityCall) throws(AccountError) -> [UserRecord] {
    guard let expressions = list.array, expressions.count <= 100 else {
      throw AccountError(.invalidArgument, "expression must be an array of at most 100 objects")
    }
    let view = accounts.store.view
    var found: [UserRecord] = []
    for expression in expressions {
      let expression = call.with(expression)
      let user: UserRecord? =
        if let uid = try expression.text("userId") {
          view.user(uid)
        } else if let email = try expression.text("email") {
          EmailAddress.canonical(email).flatMap { view.user(email: $0) }
        } else if let number = try expression.text("phoneNumber") { view.user(phone: number) } else { nil }
      if let user, !found.contains(where: { $0.uid.isSameText(as: user.uid) }) { found.append(user) }
    }
    return found
  }

  private static func sort(_ users: inout [UserRecord], by name: String) throws(AccountError) {
    switch name {
    case "USER_ID", "SORT_BY_FIELD_UNSPECIFIED": users.sort { $0.uid < $1.uid }
    case "NAME": users.sort { ($0.displayName ?? "", $0.uid) < ($1.displayName ?? "", $1.uid) }
    case "CREATED_AT": users.sort { ($0.createdAtMilliseconds, $0.uid) < ($1.createdAtMilliseconds, $1.uid) }
    case "LAST_LOGIN_AT":
      users.sort { ($0.lastSignInAtMilliseconds ?? 0, $0.uid) < ($1.lastSignInAtMilliseconds ?? 0, $1.uid) }
    case "USER_EMAIL": users.sort { ($0.email ?? "", $0.uid) < ($1.email ?? "", $1.uid) }
    default: throw AccountError(.invalidArgument, "sortBy is not one of the orders")
    }
  }
}

/// A page of all accounts, by uid.
struct UserPage: Sendable {
  var users: [UserRecord]
  /// True when it has the requested number of users.
  var isFull: Bool
  /// True when there are more.
  var hasNext: Bool

  /// Creates the page that `maxResults` and `nextPageToken` name. The token is the last uid of the page before.
  init(_ call: IdentityCall, of accounts: Accounts, countDefault: Int64) throws(AccountError) {
    let count = try call.int("maxResults") ?? countDefault
    guard (1...BatchEndpoints.usersMax).contains(count) else { throw AccountError(.invalidPageSelection) }
    let after = try call.text("nextPageToken").flatMap { $0.isEmpty ? nil : $0 }
    // One more than requested shows whether there is another page.
    let found = accounts.store.view.users(after: after, limit: Int(count) + 1)
    users = Array(found.prefix(Int(count)))
    isFull = users.count == Int(count)
    hasNext = found.count > users.count
  }
}
