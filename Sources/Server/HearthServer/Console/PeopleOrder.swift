import HearthAccounts

/// By what accounts are listed, if not by their uids.
struct PeopleOrder {
  enum Key: String {
    /// What the list shows of somebody: the mail address, else the name, else the phone number.
    case name
    /// When they signed in or were refreshed last.
    case seen
    case created
    case sessions
  }

  var key: Key
  var isDescending: Bool

  private struct Place {
    var text = ""
    var number: Int64 = 0
    var user: UserRecord
  }

  /// Equal ones stand in the order of their uids, in both directions.
  func sorted(_ users: [UserRecord], in view: AccountView, nowSeconds: Int64) -> [UserRecord] {
    users.map { place(of: $0, in: view, nowSeconds: nowSeconds) }.sorted { one, other in
      if one.text != other.text { return (one.text < other.text) != isDescending }
      if one.number != other.number { return (one.number < other.number) != isDescending }
      return one.user.uid < other.user.uid
    }.map(\.user)
  }

  private func place(of user: UserRecord, in view: AccountView, nowSeconds: Int64) -> Place {
    var place = Place(user: user)
    switch key {
    case .name: place.text = (user.email ?? user.displayName ?? user.phoneNumber ?? "").lowercased()
    case .seen: place.number = max(user.lastSignInAtMilliseconds ?? 0, user.lastRefreshAtMilliseconds ?? 0)
    case .created: place.number = user.createdAtMilliseconds
    case .sessions:
      place.number = Int64(PersonSessions.current(of: user, in: view, nowSeconds: nowSeconds).count)
    }
    return place
  }
}
