import HearthTransport
import HearthTree
import NIOHTTP1

/// `GET /.settings/receipts.json`: receipts of the causes that removed permissions, for administrators.
///
/// | parameter | |
/// |---|---|
/// | `ns` | only those of this database; without it those of all |
/// | `after` | only those with a greater id, oldest first; without it the newest |
/// | `revocation` | only those of the revocation with this number |
/// | `limit` | the maximum number; 100 |
/// | `wait` | seconds to wait for one; with `revocation`, for all of them |
/// | `node` | those that this node of a cluster keeps; without it those of the node that responds |
///
/// The answer is `{"receipts": […], "last": ID, "isComplete": true}`.
package struct ReceiptList {
  /// The path of the operation.
  package static let path = "/.settings/receipts.json"
  /// The maximum seconds that a response may take.
  package static let waitSecondsMax = ReceiptLimits.standard.waitSecondsMax

  let services: GatewayServices
  let hub: LoopHub

  func answer(_ http: HTTPRequest, completion: @escaping RESTResponse.Completion) throws(RESTFailure) {
    guard http.method == .GET else { throw .methodNotAllowed }
    let query = try URLQuery(http.query)
    let origin = services.origin(of: http)
    guard let credential = try RESTCredential(headers: http.headers, query: query) else { throw .unauthorized }
    let caller = try services.caller(of: credential, from: origin, now: SystemClock.now)
    try services.check(RESTOperation.receipts.requirement(of: .get), of: caller, from: origin)
    var filter = ReceiptFilter()
    filter.database = try query.single("ns")
    filter.after = try Self.number("after", query)
    filter.revocation = try Self.number("revocation", query)
    let receipts = services.router.receipts
    if let node = try query.single(Self.nodeParameter), node != receipts.node {
      throw RESTFailure(404, "unknown node")
    }
    if let limit = try Self.number("limit", query) {
      guard (1...UInt64(receipts.limits.pageMax)).contains(limit) else {
        throw RESTFailure(400, "limit must be a number from 1 to \(receipts.limits.pageMax)")
      }
      filter.limit = Int(limit)
    }
    let seconds = try Self.number("wait", query) ?? 0
    guard seconds <= UInt64(receipts.limits.waitSecondsMax) else {
      throw RESTFailure(400, "wait must be at most \(receipts.limits.waitSecondsMax) seconds")
    }
    receipts.wait(filter, seconds: Int(seconds), on: hub.loop) { page in completion(RESTResponse(body: page.body)) }
  }

  private static let nodeParameter = "node"

  /// Returns the node of a cluster that a request names; nil when it names none.
  package static func node(of request: HTTPRequest) -> String? {
    guard let query = try? URLQuery(request.query) else { return nil }
    return try? query.single(nodeParameter)
  }

  private static func number(_ name: String, _ query: URLQuery) throws(RESTFailure) -> UInt64? {
    guard let text = try query.single(name) else { return nil }
    guard let number = UInt64(text) else { throw RESTFailure(400, "\(name) must be a whole number") }
    return number
  }
}
