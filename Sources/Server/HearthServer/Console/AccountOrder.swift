import HearthAccounts

/// The order of an accounts' list, if not by uid.
struct AccountOrder {
  enum Key: String {
    /// The displayed name: the mail address, else the name, else the phone number.
    case name
    /// The time of the last sign-in or refresh.
    case seen
    case created
    case sessions
  }

  var key: Key
  var isDescending: Bool

  private struct SortKey {
    var text = ""
    var number: Int64 = 0
    var user: UserRecord
  }

  /// Returns the sorted users. Equal ones are in the order of their uids, in both directions.
  func sorted(_ users: [UserRecord], in view: AccountView, nowSeconds: Int64) -> [UserRecord] {
    users.map { sortKey(of: $0, in: view, nowSeconds: nowSeconds) }.sorted { one, other in
      if one.text != other.text { return (one.text < other.text) != isDescending }
      if one.number != other.number { return (one.number < other.number) != isDescending }
      return one.user.uid < other.user.uid
    }.map(\.user)
  }

  private func sortKey(of user: UserRecord, in view: AccountView, nowSeconds: Int64) -> SortKey {
    var sortKey = SortKey(user: user)
    switch key {
    case .name: sortKey.text = (user.email ?? user.displayName ?? user.phoneNumber ?? "").lowercased()
    case .seen: sortKey.number = max(user.lastSignInAtMilliseconds ?? 0, user.lastRefreshAtMilliseconds ?? 0)
    case .created: sortKey.number = user.createdAtMilliseconds
    case .sessions:
      sortKey.number = Int64(AccountDetails.current(of: user, in: view, nowSeconds: nowSeconds).count)
    }
    return sortKey
  }
}
