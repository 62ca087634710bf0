import HearthTree

/// Many accounts at once, for an administrator.
extension Accounts {
  static let pageUsersMax: Int64 = 1_000

  /// A page of all accounts, by uid. The page token is the last uid of the page before.
  func batchGet(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    let page = try self.page(call)
    var members: [(String, JSON)] = []
    if !page.users.isEmpty { members.append(("users", .array(page.users.map { userInfo($0) }))) }
    // A full page names a next one, which may be empty: what the service does, and its clients' tests ask for.
    if page.isFull, let last = page.users.last { members.append(("nextPageToken", .string(last.uid))) }
    return Self.answer("DownloadAccountResponse", members)
  }

  /// The page that `maxResults` and `nextPageToken` name: whether it has as many users as were wanted, and whether there
  /// are more.
  func page(_ call: IdentityCall) throws(AccountError) -> (users: [UserRecord], isFull: Bool, hasNext: Bool) {
    let count = try call.int("maxResults") ?? 20
    guard (1...Self.pageUsersMax).contains(count) else { throw AccountError(.invalidPageSelection) }
    let after = try call.text("nextPageToken").flatMap { $0.isEmpty ? nil : $0 }
    let users = store.view.users(after: after, limit: Int(count) + 1)
    // One more than wanted tells whether there is another page.
    let page = Array(users.prefix(Int(count)))
    return (page, page.count == Int(count), users.count > page.count)
  }

  /// Deletes up to 1,000 accounts in one transaction. Those that are not disabled stay, unless `force` is set.
  func batchDelete(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    let uids = try call.texts("localIds") ?? []
    guard (1...Self.pageUsersMax).contains(Int64(uids.count)) else { throw AccountError(.listTooLong) }
    let isForced = try call.bool("force") ?? false
    let (deleted, errors) = try await store.transact { (transaction) throws(AccountError) -> ([String], [JSON]) in
      var (deleted, errors): ([String], [JSON]) = ([], [])
      for (index, uid) in uids.enumerated() {
        // Whoever is not there needs no deleting.
        guard let user = transaction.user(uid) else { continue }
        guard user.isDisabled || isForced else {
          errors.append(
            .object([
              JSON.Member("index", .int(Int64(index))), JSON.Member("localId", .string(uid)),
              JSON.Member(
                "message", .string(AccountError(.notDisabled, "Disable the account before batch deletion.").message)),
            ]))
          continue
        }
        transaction.delete(uid)
        transaction.audit(call.event(.userDeleted, user))
        deleted.append(uid)
      }
      return (deleted, errors)
    }
    for uid in deleted { onRevocation(.user(uid: uid), .userDeleted) }
    return Self.answer("BatchDeleteAccountsResponse", errors.isEmpty ? [] : [("errors", .array(errors))])
  }

  /// Accounts by expression, or a sorted range of all.
  func queryAccounts(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    let limit = try call.int("limit") ?? 500
    let offset = try call.int("offset") ?? 0
    guard (1...500).contains(limit), (0...Self.sortedUsersMax).contains(offset) else {
      throw AccountError(.invalidPageSelection)
    }
    var users = if let list = call.value("expression") { try matches(list, call) } else { try everybody() }
    let isDescending = try call.text("order") == "DESC"
    try Self.sort(&users, by: try call.text("sortBy") ?? "USER_ID")
    if isDescending { users.reverse() }
    let count = JSON.string(String(users.count))
    if try call.bool("returnUserInfo") == false { return .object([JSON.Member("recordsCount", count)]) }
    let range = users.dropFirst(Int(offset)).prefix(Int(limit))
    return .object([
      JSON.Member("recordsCount", count),
      JSON.Member("userInfo", .array(range.map { userInfo($0) })),
    ])
  }

  /// More accounts are not gathered for a query; a listing in pages has no end.
  private static let sortedUsersMax: Int64 = 100_000

  private func everybody() throws(AccountError) -> [UserRecord] {
    let users = store.view.users(after: nil, limit: Int(Self.sortedUsersMax) + 1)
    guard users.count <= Self.sortedUsersMax else {
      throw AccountError(.invalidPageSelection, "too many accounts to sort; read them in pages")
    }
    return users
  }

  private func matches(_ list: JSON, _ call: IdentityCall) throws(AccountError) -> [UserRecord] {
    guard let expressions = list.array, expressions.count <= 100 else {
      throw AccountError(.invalidArgument, "expression must be an array of at most 100 objects")
    }
    let view = store.view
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
