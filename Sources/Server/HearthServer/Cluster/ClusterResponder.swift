import HearthCluster
import HearthClusterNode
import HearthCrypto
import HearthGateway
import HearthJournal
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// `/.settings/cluster.json`: the status of a cluster's node and its view of the others. For the operator.
///
/// `GET` returns the node's `name`, its `run` (null while it has none), whether its lease is valid (`isAlive`) and
/// `takesDatabases` without an owner, the nodes that it is `connected` to, all `nodes` as the store knows them, and
/// all `databases`: of each its `name`, `owner` (null for none), `epoch` and last durable `position`; and for this
/// node's part in it, the `role` (`owner`, `following`, `reading` or `readOnly`), the number of commits it is `behind`,
/// whether its state is new enough for clients (`isServed`), and the number of `sessions`.
///
/// `POST` of `{"drain": true}` transfers the databases that the node owns to others, and takes none from then on; it
/// returns those that it still `owns`.
struct ClusterResponder: AuthorizedResponder {
  static let path = "/.settings/cluster.json"
  /// The seconds that the response waits for the databases to move.
  private static let drainSeconds = 10

  let node: ClusterNode
  /// The prefix of the names of databases' journals.
  let prefix: String

  func respond(
    to request: HTTPRequest, by authority: Authority, from origin: RequestOrigin, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    let isDraining: Bool
    switch request.method {
    case .GET: isDraining = false
    case .POST where JSON(parsing: request.body.readableBytesView)?["drain"]?.bool == true: isDraining = true
    case .POST:
      return loop.eventLoop.makeSucceededFuture(
        HTTPResponse.refusal(.badRequest, "The body must be {\"drain\": true}."))
    default:
      return loop.eventLoop.makeSucceededFuture(HTTPResponse.refusal(.methodNotAllowed, "Use GET or POST."))
    }
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    Task { [node, prefix] in
      guard isDraining else {
        // May wait for the databases' current work.
        let response = await BlockingThread.run { () -> HTTPResponse in
          do throws(JournalError) {
            return HTTPResponse.json(.ok, Self.json(node.status, try node.overview(), prefix: prefix))
          } catch {
            return HTTPResponse.refusal(.serviceUnavailable, "\(node.product) does not answer: \(error.message)")
          }
        }
        return promise.succeed(response)
      }
      let owned = await node.drain(seconds: Self.drainSeconds)
      promise.succeed(
        HTTPResponse.json(
          .ok, ["name": .string(node.name), "owns": .array(owned.map { .string($0) })]))
    }
    return promise.futureResult
  }

  private static func json(_ status: ClusterStatus, _ overview: ClusterOverview, prefix: String) -> JSON {
    let members = Dictionary(uniqueKeysWithValues: status.databases)
    return [
      "name": .string(status.node), "run": status.run.map { .int($0) } ?? .null,
      "isAlive": .bool(status.isLeaseValid), "takesDatabases": .bool(status.acceptsDatabases),
      "connected": .array(status.connected.map { .string($0) }), "nodes": .array(overview.nodes.map(json)),
      "databases": .array(overview.journals.map { json($0, members, prefix: prefix) }),
    ]
  }

  private static func json(_ node: ClusterOverview.Node) -> JSON {
    [
      "name": .string(node.name), "address": .string(node.address), "run": .int(node.run),
      "isAlive": .bool(node.isAlive), "leaseMilliseconds": .int(node.leaseMilliseconds),
    ]
  }

  private static func json(
    _ journal: ClusterOverview.Journal, _ members: [String: MemberStatus], prefix: String
  ) -> JSON {
    let name = journal.name.hasPrefix(prefix) ? String(journal.name.dropFirst(prefix.count)) : journal.name
    var row: JSON = [
      "name": .string(name), "owner": journal.owner.map { .string($0) } ?? .null, "epoch": .int(journal.epoch),
      "position": .int(journal.position),
    ]
    if let member = members[journal.name] {
      row["role"] = .string(member.role.rawValue)
      row["behind"] = .int(max(0, journal.position - member.head.position))
      row["isServed"] = .bool(member.isServing)
      row["sessions"] = .int(Int64(member.sessionCount))
    }
    return row
  }
}
