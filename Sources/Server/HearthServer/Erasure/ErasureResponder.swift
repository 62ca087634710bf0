import HearthAccounts
import HearthCrypto
import HearthGateway
import HearthSystem
import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// `/.settings/erasures.json`: erases all data that the server keeps of a user. For the operator.
///
/// `POST` of `{"uid": …, "places": [{"database": …, "path": …}]}` takes an order, durably, and answers with its
/// `number`; with a `tenantId` the account is one of that tenant. `POST` of `{"number": …}` returns its progress:
/// `state` is `waiting`, `running`, `done` or `failed`; when it is done `account` is true when there was one, and
/// `batches`, `snapshots` and `records` the amounts of logs, snapshots and the audit trail that were rewritten; when it
/// failed `error` is the reason, and the next start tries again. With `"dryRun": true` no data is changed or stored,
/// and the amounts are those that would be.
struct ErasureResponder: AuthorizedResponder {
  static let path = "/.settings/erasures.json"

  let queue: ErasureQueue
  /// True when the logs are shared by the nodes of a cluster, and cannot be rewritten while the others use them.
  let isShared: Bool

  let bodyBytesMax = 1 << 20

  func respond(
    to request: HTTPRequest, by authority: Authority, from origin: RequestOrigin, on loop: TransportLoop
  ) -> EventLoopFuture<HTTPResponse> {
    guard !isShared else {
      return loop.eventLoop.makeSucceededFuture(
        HTTPResponse.refusal(
          .notImplemented,
          "An erasure rewrites logs, which the nodes of a cluster share. Stop all nodes, and erase with a server started "
            + "with --journal URL, the URL of --cluster."))
    }
    guard request.method == .POST else {
      return loop.eventLoop.makeSucceededFuture(HTTPResponse.refusal(.methodNotAllowed, "Use POST."))
    }
    guard let body = JSON(parsing: request.body.readableBytesView), body.members != nil else {
      return loop.eventLoop.makeSucceededFuture(HTTPResponse.refusal(.badRequest, "The body must be a JSON object."))
    }
    if let number = body["number"]?.string {
      guard let progress = queue.progress(of: number) else {
        return loop.eventLoop.makeSucceededFuture(
          HTTPResponse.refusal(
            .notFound, "Unknown erasure. Erasures that were completed before the last start are not listed."))
      }
      return loop.eventLoop.makeSucceededFuture(HTTPResponse.json(.ok, Self.json(number, progress)))
    }
    let asked = (body.members ?? []).filter { $0.name != "by" }
    let head: JSON = ["number": .string(Self.nextNumber()), "by": .string(authority.administratorName ?? "")]
    let order = ErasureOrder(head.appending(.object(asked)))
    guard body["number"] == nil, let order else {
      return loop.eventLoop.makeSucceededFuture(
        HTTPResponse.refusal(
          .badRequest,
          "uid must be a user id, tenantId a tenant's id, places a list of at most \(ErasureOrder.placesMax) of database and path, "
            + "none of them a database's root, and dryRun true or false."))
    }
    if let tenant = queue.unknownTenant(of: order) {
      return loop.eventLoop.makeSucceededFuture(
        HTTPResponse.refusal(
          .notFound, "Unknown tenant \(tenant). List the tenants with hearth tenants list."))
    }
    if let name = queue.unknownDatabase(of: order) {
      return loop.eventLoop.makeSucceededFuture(HTTPResponse.refusal(.notFound, "Unknown database \(name)."))
    }
    let client = ClientInfo(
      address: origin.address, userAgent: request.header("user-agent") ?? "", requestID: request.id)
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    Task { [queue] in
      do throws(AtomicFile.Problem) {
        try await BlockingThread.run { () throws(AtomicFile.Problem) in try queue.take(order, from: client) }
        promise.succeed(HTTPResponse.json(.ok, Self.json(order.number, .waiting)))
      } catch {
        promise.succeed(HTTPResponse.refusal(.serviceUnavailable, "The erasure request \(error.what): \(error.cause)."))
      }
    }
    return promise.futureResult
  }

  /// Returns an id that is a valid file name, easy to type, and in the order of time: orders are done in the order of
  /// their names.
  private static func nextNumber() -> String {
    let time = String(max(0, SystemClock.now.wallMilliseconds), radix: 16)
    let chance = String(UInt32.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: max(0, 12 - time.count)) + time
      + String(repeating: "0", count: max(0, 8 - chance.count)) + chance
  }

  private static func json(_ number: String, _ progress: ErasureProgress) -> JSON {
    (["number": .string(number)] as JSON).appending(progress.json)
  }
}
