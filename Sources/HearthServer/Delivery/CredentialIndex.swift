import HearthAccounts
import HearthCrypto
import HearthEngine

/// The connections of one event loop by what they are signed in with, so that a revocation finds them without a look
/// at every socket.
struct CredentialIndex {
  /// Strings compare by canonical equivalence here; two users that fall together are told apart by who asks.
  private var byUID: [String: Set<ConnectionID>] = [:]
  /// Every connection that is signed in.
  private var all: Set<ConnectionID> = []

  /// How many connections are signed in.
  var count: Int { all.count }

  mutating func replace(_ last: VerifiedCredential?, with next: VerifiedCredential?, of connection: ConnectionID) {
    if let uid = last?.uid {
      byUID[uid]?.remove(connection)
      if byUID[uid]?.isEmpty == true { byUID[uid] = nil }
    }
    guard let next else {
      all.remove(connection)
      return
    }
    all.insert(connection)
    if let uid = next.uid { byUID[uid, default: []].insert(connection) }
  }

  /// Those that the revocation may mean.
  func connections(of revocation: Revocation) -> [ConnectionID] {
    switch revocation {
    case .user(let uid, _): Array(byUID[uid] ?? [])
    case .legacySession, .signingKey, .legacySecret: Array(all)
    }
  }
}
