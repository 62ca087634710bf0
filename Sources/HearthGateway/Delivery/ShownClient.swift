import HearthCrypto
import HearthEngine
import HearthTree

/// A client as an administrator is shown it.
package struct ShownClient: Sendable {
  /// How it is connected.
  package enum Kind: String, Sendable {
    /// A conversation over a socket or long polls.
    case socket
    /// An event stream over HTTP.
    case stream
  }

  /// The connection's name in logs.
  package var id: ConnectionID
  /// Socket or stream.
  package var kind: Kind
  /// The database's name, as the client said it.
  package var database: String
  /// Who is signed in; nil for nobody, and for administrators.
  package var uid: String?
  /// Rules are not asked about what it reads.
  package var readsAll: Bool
  /// The IP address that it comes from; empty when it is not known.
  package var address: String
  /// When it came, since 1970.
  package var sinceMilliseconds: Int64
  /// Nothing is read from it at the moment.
  package var isPaused: Bool
}

extension EffectRouter {
  /// The clients of a database, those that came last first, and how many there are of it. Waits for the loops' turns.
  ///
  /// - Parameters:
  ///   - uid: of those who are signed in as that user; nil for all.
  ///   - limit: how many at most.
  package func shownClients(
    of database: String, uid: String?, limit: Int
  ) async -> (clients: [ShownClient], count: Int) {
    var (found, count): ([ShownClient], Int) = ([], 0)
    for inbox in inboxes {
      let loop = await inbox.ask { hub in hub.shownClients(of: database, uid: uid, limit: limit) }
      guard let loop else { continue }
      found += loop.clients
      count += loop.count
    }
    found.sort { ($0.sinceMilliseconds, $0.id.rawValue) > ($1.sinceMilliseconds, $1.id.rawValue) }
    return (Array(found.prefix(limit)), count)
  }
}

extension LoopHub {
  fileprivate func shownClients(
    of database: String, uid: String?, limit: Int
  ) -> (clients: [ShownClient], count: Int) {
    var (found, count): ([ShownClient], Int) = ([], 0)
    for client in shownInOrder {
      guard let shown = client.shown, shown.database == database,
        uid.map({ shown.uid?.utf8.elementsEqual($0.utf8) == true }) ?? true
      else { continue }
      count += 1
      if found.count < limit { found.append(shown) }
    }
    return (found, count)
  }
}

extension VerifiedCredential {
  /// Who it is of; nil for an administrator's.
  var shownUID: String? { authPayload.flatMap { JSON($0)["uid"]?.string } }
  /// Whether rules are not asked about what its holder reads.
  var readsAll: Bool { isAdministrator || consoleSession != nil }
}
