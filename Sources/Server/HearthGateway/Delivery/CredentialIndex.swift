import HearthAccounts
import HearthCrypto
import HearthEngine

/// The connections of one event loop by what they are signed in with, so that a revocation finds them without a look
/// at every socket.
struct CredentialIndex {
  /// Strings compare by canonical equivalence here; two users that fall together are told apart by who asks.
  private var byUID: [String: Set<ConnectionID>] = [:]
  /// Those with access tokens, by the service account.
  private var byOwner: [String: Set<ConnectionID>] = [:]
  /// Those with tokens of others, by the token's digest.
  private var byDigest: [String: Set<ConnectionID>] = [:]
  /// Those with credentials of the console, by its session.
  private var bySession: [UInt64: Set<ConnectionID>] = [:]
  /// Every connection that is signed in.
  private var all: Set<ConnectionID> = []

  /// The number of connections that are signed in.
  var count: Int { all.count }

  mutating func replace(_ last: VerifiedCredential?, with next: VerifiedCredential?, of connection: ConnectionID) {
    Self.remove(connection, at: last?.uid, from: &byUID)
    Self.remove(connection, at: last?.owner, from: &byOwner)
    Self.remove(connection, at: last?.voucher?.digest, from: &byDigest)
    Self.remove(connection, at: last?.consoleSession, from: &bySession)
    guard let next else {
      all.remove(connection)
      return
    }
    all.insert(connection)
    if let uid = next.uid { byUID[uid, default: []].insert(connection) }
    if let owner = next.owner { byOwner[owner, default: []].insert(connection) }
    if let session = next.consoleSession { bySession[session, default: []].insert(connection) }
    if let digest = next.voucher?.digest { byDigest[digest, default: []].insert(connection) }
  }

  private static func remove<Name>(
    _ connection: ConnectionID, at name: Name?, from index: inout [Name: Set<ConnectionID>]
  ) {
    guard let name else { return }
    index[name]?.remove(connection)
    if index[name]?.isEmpty == true { index[name] = nil }
  }

  /// Those of a session of the console.
  func connections(ofConsoleSession session: UInt64) -> [ConnectionID] { Array(bySession[session] ?? []) }

  /// Those that the revocation may mean.
  func connections(of revocation: Revocation) -> [ConnectionID] {
    switch revocation {
    case .user(let uid): return Array(byUID[uid] ?? [])
    case .serviceAccount(let email): return Array(byOwner[email] ?? [])
    case .foreignTokens(let tokens) where !tokens.isEverything:
      var found: Set<ConnectionID> = []
      for digest in tokens.digests { found.formUnion(byDigest[digest] ?? []) }
      for uid in tokens.uids { found.formUnion(byUID[uid] ?? []) }
      return Array(found)
    case .tenant, .legacySession, .signingKey, .legacySecret, .foreignTokens: return Array(all)
    }
  }
}
