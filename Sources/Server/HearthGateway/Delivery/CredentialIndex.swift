import HearthAccounts
import HearthCrypto
import HearthEngine

/// An index of one event loop's connections by their credentials, so that a revocation finds them without a search of
/// every socket.
struct CredentialIndex {
  /// The connections by uid. Strings compare by canonical equivalence here; callers tell users apart whose uids compare
  /// equal.
  private var byUID: [String: Set<ConnectionID>] = [:]
  /// The connections with access tokens, by the service account.
  private var byOwner: [String: Set<ConnectionID>] = [:]
  /// The connections with foreign tokens, by the token's digest.
  private var byDigest: [String: Set<ConnectionID>] = [:]
  /// The connections with credentials of the console, by its session.
  private var bySession: [UInt64: Set<ConnectionID>] = [:]
  /// The signed-in connections.
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

  /// Returns the connections of a session of the console.
  func connections(ofConsoleSession session: UInt64) -> [ConnectionID] { Array(bySession[session] ?? []) }

  /// Returns the connections that the revocation may concern.
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
