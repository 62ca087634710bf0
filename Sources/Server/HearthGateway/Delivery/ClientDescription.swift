import HearthCrypto
import HearthEngine
import HearthTransport
import HearthTree

/// The description of a client for administrators.
package struct ClientDescription: Sendable {
  /// The kind of a client's connection.
  package enum Kind: String, Sendable {
    /// The client uses a WebSocket.
    case socket
    /// The client uses long polls.
    case poll
    /// The client reads an event stream over HTTP.
    case stream
  }

  /// The connection's name in logs.
  package var id: ConnectionID
  /// The kind of the connection.
  package var kind: Kind
  /// The database's name, as the client gave it.
  package var database: String
  /// The uid of the user; nil for signed-out clients and administrators.
  package var uid: String?
  /// The user's tenant; nil for the project itself.
  package var tenant: String?
  /// True when no rules apply to its reads.
  package var readsAll: Bool
  /// The client's IP address; empty when it is not known.
  package var address: String
  /// The user agent that the client sent.
  package var agent: String?
  /// The time of its connection, in milliseconds since 1970.
  package var sinceMilliseconds: Int64
  /// True when reading from it is paused.
  package var isPaused: Bool
  /// The amounts of sent data; nil between long polls, which have no outlet of their own.
  package var traffic: Outlet.Traffic?

  fileprivate static func isNewer(_ one: ClientDescription, _ other: ClientDescription) -> Bool {
    (one.sinceMilliseconds, one.id.rawValue) > (other.sinceMilliseconds, other.id.rawValue)
  }
}

extension EffectRouter {
  /// The number of rows that a loop reads in one turn: some tenths of a millisecond's work, so that other work is not
  /// delayed.
  private static let rowsPerTurn = 1_024

  /// Returns the clients of a database, the newest connections first, and their number. Waits for turns of each loop;
  /// clients that connect or disconnect meanwhile may be missing.
  ///
  /// - Parameters:
  ///   - uid: selects clients that are signed in as the given user; nil for all.
  ///   - tenant: that user's tenant; nil for the project itself. Another tenant may have the same uid.
  ///   - limit: the maximum number of clients.
  package func clientDescriptions(
    of database: String, uid: String?, tenant: String? = nil, limit: Int
  ) async -> (clients: [ClientDescription], count: Int) {
    var (found, count): ([ClientDescription], Int) = ([], 0)
    for inbox in inboxes {
      var place: Int? = 0
      while let first = place {
        let turn = await inbox.ask { hub in
          hub.clientDescriptions(of: database, uid: uid, tenant: tenant, from: first, through: Self.rowsPerTurn)
        }
        found += turn?.clients ?? []
        count += turn?.clients.count ?? 0
        place = turn?.next
        if found.count >= limit + 4 * Self.rowsPerTurn { found = Self.newest(found, limit) }
      }
    }
    return (Self.newest(found, limit), count)
  }

  private static func newest(_ clients: [ClientDescription], _ limit: Int) -> [ClientDescription] {
    Array(clients.sorted(by: ClientDescription.isNewer).prefix(limit))
  }

  /// Returns one client; nil when it is gone.
  package func clientDescription(_ id: ConnectionID) async -> ClientDescription? {
    guard id.loopIndex < inboxes.count else { return nil }
    return await inboxes[id.loopIndex].ask { hub in hub.client(id)?.clientDescription } ?? nil
  }
}

extension LoopHub {
  /// Returns the clients in a number of rows of this loop.
  ///
  /// - Returns: also the row to continue at; nil at the end.
  fileprivate func clientDescriptions(
    of database: String, uid: String?, tenant: String?, from first: Int, through countMax: Int
  ) -> (clients: [ClientDescription], next: Int?) {
    var found: [ClientDescription] = []
    let places = rowCount
    let end = places - first > countMax ? first + countMax : places
    var place = first
    while place < end {
      if let client = client(at: place)?.clientDescription, client.database == database,
        uid.map({ client.uid?.utf8.elementsEqual($0.utf8) == true && client.tenant == tenant }) ?? true
      {
        found.append(client)
      }
      place += 1
    }
    return (found, end < places ? end : nil)
  }
}

extension JSON {
  /// The tenant in a value of `auth`; nil for the project itself.
  var tenantOfAuth: String? { self["token"]?["firebase"]?["tenant"]?.string }
}

extension VerifiedCredential {
  /// The uid of the credential; nil for an administrator's.
  var describedUID: String? { authPayload.flatMap { JSON($0)["uid"]?.string } }
  /// The tenant of the credential's user.
  var describedTenant: String? { authPayload.flatMap { JSON($0).tenantOfAuth } }
  /// True when no rules apply to its owner's reads.
  var readsAll: Bool { authority.bypassesRules || consoleSession != nil }
}
