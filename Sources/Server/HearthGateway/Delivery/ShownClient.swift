import HearthCrypto
import HearthEngine
import HearthTransport
import HearthTree

/// A client as an administrator is shown it.
package struct ShownClient: Sendable {
  /// How it is connected.
  package enum Kind: String, Sendable {
    /// A WebSocket.
    case socket
    /// Long polls.
    case poll
    /// An event stream over HTTP.
    case stream
  }

  /// The connection's name in logs.
  package var id: ConnectionID
  /// Socket, long polls or stream.
  package var kind: Kind
  /// The database's name, as the client said it.
  package var database: String
  /// Who is signed in; nil for nobody, and for administrators.
  package var uid: String?
  /// Whose user that is; nil for the project itself.
  package var tenant: String?
  /// Rules are not asked about what it reads.
  package var readsAll: Bool
  /// The IP address that it comes from; empty when it is not known.
  package var address: String
  /// What it says that it is.
  package var agent: String?
  /// When it came, since 1970.
  package var sinceMilliseconds: Int64
  /// Nothing is read from it at the moment.
  package var isPaused: Bool
  /// What it was sent; nil between long polls, which have no line of their own.
  package var traffic: Outlet.Traffic?

  fileprivate static func isNewer(_ one: ShownClient, _ other: ShownClient) -> Bool {
    (one.sinceMilliseconds, one.id.rawValue) > (other.sinceMilliseconds, other.id.rawValue)
  }
}

extension EffectRouter {
  /// Places that a loop looks at in one turn: some tenths of a millisecond's work, so that nobody waits for it.
  private static let placesPerTurn = 1_024

  /// The clients of a database, those that came last first, and how many there are of it. Waits for turns of each loop; who
  /// comes or goes meanwhile may be missing.
  ///
  /// - Parameters:
  ///   - uid: of those who are signed in as that user; nil for all.
  ///   - tenant: whose user that is; nil for the project itself. Another one may have the same uid.
  ///   - limit: how many at most.
  package func shownClients(
    of database: String, uid: String?, tenant: String? = nil, limit: Int
  ) async -> (clients: [ShownClient], count: Int) {
    var (found, count): ([ShownClient], Int) = ([], 0)
    for inbox in inboxes {
      var place: Int? = 0
      while let first = place {
        let turn = await inbox.ask { hub in
          hub.shownClients(of: database, uid: uid, tenant: tenant, from: first, through: Self.placesPerTurn)
        }
        found += turn?.clients ?? []
        count += turn?.clients.count ?? 0
        place = turn?.next
        if found.count >= limit + 4 * Self.placesPerTurn { found = Self.newest(found, limit) }
      }
    }
    return (Self.newest(found, limit), count)
  }

  private static func newest(_ clients: [ShownClient], _ limit: Int) -> [ShownClient] {
    Array(clients.sorted(by: ShownClient.isNewer).prefix(limit))
  }

  /// One client; nil when it is gone.
  package func shownClient(_ id: ConnectionID) async -> ShownClient? {
    guard id.loopIndex < inboxes.count else { return nil }
    return await inboxes[id.loopIndex].ask { hub in hub.client(id)?.shown } ?? nil
  }
}

extension LoopHub {
  /// Those at so many places of this loop.
  ///
  /// - Returns: also the place to go on at; nil at the end.
  fileprivate func shownClients(
    of database: String, uid: String?, tenant: String?, from first: Int, through countMax: Int
  ) -> (clients: [ShownClient], next: Int?) {
    var found: [ShownClient] = []
    let places = placeCount
    let end = places - first > countMax ? first + countMax : places
    var place = first
    while place < end {
      if let shown = client(at: place)?.shown, shown.database == database,
        uid.map({ shown.uid?.utf8.elementsEqual($0.utf8) == true && shown.tenant == tenant }) ?? true
      {
        found.append(shown)
      }
      place += 1
    }
    return (found, end < places ? end : nil)
  }
}

extension JSON {
  /// Whose user this is, as rules see `auth`; nil for the project itself.
  var tenantOfAuth: String? { self["token"]?["firebase"]?["tenant"]?.string }
}

extension VerifiedCredential {
  /// Who it is of; nil for an administrator's.
  var shownUID: String? { authPayload.flatMap { JSON($0)["uid"]?.string } }
  /// Whose user that is.
  var shownTenant: String? { authPayload.flatMap { JSON($0).tenantOfAuth } }
  /// True when rules are not asked about what its holder reads.
  var readsAll: Bool { authority.bypassesRules || consoleSession != nil }
}
