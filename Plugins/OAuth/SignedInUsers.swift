import HearthPlugin

/// The users of an issuer who have valid tokens here, each with the issuer's last statement about the account.
struct SignedInUsers {
  /// A verified token's statement about its user.
  struct SignIn {
    /// The user's id at the issuer.
    var subject: String
    /// The user's id here.
    var uid: String
    /// The time of the sign-in in seconds since 1970.
    var signedInAtSeconds: Int64
    /// The expiry of the token in seconds since 1970.
    var tokenEndsAtSeconds: Int64
  }

  /// The issuer's statement about an account.
  struct Account: Equatable {
    /// True when the account is disabled or deleted.
    var isClosed = false
    /// The time in seconds since 1970 before which all sign-ins have ended.
    var validSinceSeconds: Int64 = 0
  }

  private struct User {
    var uid: String
    /// The earliest sign-in of the user's tokens since the last revocation.
    var signedInAtSeconds: Int64
    /// The expiry of the user's last token.
    var endsAtSeconds: Int64
    var account = Account()
  }

  private let usersMax: Int
  private var users: [String: User] = [:]
  /// The users that are not yet looked up in this round.
  private var queue: [String] = []
  /// True when users were not added because there were too many.
  private(set) var isFull = false

  init(usersMax: Int = UserLookupLimits.usersMax) { self.usersMax = usersMax }

  /// The number of users.
  var count: Int { users.count }

  /// Adds the user of a token, for as long as the token is valid.
  ///
  /// - Returns: False when the token is invalid by the issuer's last statement.
  mutating func accepts(_ signIn: SignIn, nowSeconds: Int64) -> Bool {
    guard var user = users[signIn.subject] else {
      if users.count >= usersMax { removeExpired(nowSeconds: nowSeconds) }
      guard users.count < usersMax else {
        isFull = true
        return true
      }
      users[signIn.subject] = User(
        uid: signIn.uid, signedInAtSeconds: signIn.signedInAtSeconds, endsAtSeconds: signIn.tokenEndsAtSeconds)
      return true
    }
    // The user of a refused token is looked up for longer, too: the issuer may enable the account again.
    user.endsAtSeconds = max(user.endsAtSeconds, signIn.tokenEndsAtSeconds)
    let isValid = !user.account.isClosed && signIn.signedInAtSeconds >= user.account.validSinceSeconds
    if isValid { user.signedInAtSeconds = min(user.signedInAtSeconds, signIn.signedInAtSeconds) }
    users[signIn.subject] = user
    return isValid
  }

  /// Removes users without valid tokens, and begins a round when the last one is complete.
  mutating func beginRound(nowSeconds: Int64) {
    removeExpired(nowSeconds: nowSeconds)
    if queue.isEmpty { queue = Array(users.keys) }
  }

  /// Takes users that are not yet looked up in this round.
  mutating func next(_ countMax: Int) -> [String] {
    var taken: [String] = []
    while taken.count < countMax, let subject = queue.popLast() {
      if users[subject] != nil { taken.append(subject) }
    }
    return taken
  }

  /// Records the issuer's statements.
  ///
  /// - Parameters:
  ///   - asked: The users that the issuer was asked about. One without a statement has no account any more.
  ///   - accounts: The statements, by the id at the issuer.
  /// - Returns: The uids of users whose tokens have become invalid.
  mutating func record(_ asked: [String], _ accounts: [String: Account]) -> Set<String> {
    var ended: Set<String> = []
    for subject in asked {
      guard var user = users[subject] else { continue }
      let (before, now) = (user.account, accounts[subject] ?? Account(isClosed: true))
      user.account = now
      if now.isClosed && !before.isClosed || user.signedInAtSeconds < now.validSinceSeconds {
        ended.insert(user.uid)
        user.signedInAtSeconds = max(user.signedInAtSeconds, now.validSinceSeconds)
      }
      users[subject] = user
    }
    return ended
  }

  private mutating func removeExpired(nowSeconds: Int64) {
    users = users.filter { nowSeconds < $0.value.endsAtSeconds + UserLookupLimits.graceSeconds }
    isFull = false
  }
}
