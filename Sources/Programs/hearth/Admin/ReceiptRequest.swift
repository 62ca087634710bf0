import HearthGateway
import HearthServer
import HearthTree

/// A request for receipts, to `/.settings/receipts.json`.
struct ReceiptRequest {
  static let path = "/.settings/receipts.json"
  /// The maximum time that a server lets a request wait.
  static let waitSecondsMax = 50

  /// The node of a cluster that keeps the receipts; nil for the answering one.
  var node: String?
  var database: String?
  var revocation: Int64?
  var limit = 100
  var after: Int64?
  var waitSeconds = 0

  var request: AdminRequest {
    var query = [("limit", String(limit))]
    if let node { query.append(("node", node)) }
    if let database { query.append(("ns", database)) }
    if let revocation { query.append(("revocation", String(revocation))) }
    if let after { query.append(("after", String(after))) }
    if waitSeconds > 0 { query.append(("wait", String(waitSeconds))) }
    return AdminRequest(method: "GET", path: Self.path, query: query.map { (name: $0.0, value: $0.1) })
  }

  /// Returns the answer that a server would give, read from the folder of a stopped server.
  static func answer(_ request: AdminRequest, dataDirectory: String) -> JSON {
    func value(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
    var found = ReceiptFile.read(dataDirectory: dataDirectory)
    let last = found.last?["id"] ?? .int(0)
    if let node = value("node") { found.removeAll { $0["node"]?.string != node } }
    if let database = value("ns") { found.removeAll { $0["database"]?.string != database } }
    if let number = value("revocation").flatMap({ Int64($0) }) {
      found.removeAll { $0["revocation"]?["number"]?.int != number }
    }
    let limit = value("limit").flatMap { Int($0) } ?? 100
    return ["receipts": .array(found.suffix(limit)), "last": last, "isComplete": true]
  }
}

extension Administration {
  struct ReceiptPage {
    var receipts: [JSON]
    /// The id of the newest receipt of all.
    var last: Int64
    var isComplete: Bool
  }

  func receipts(_ request: ReceiptRequest) async throws -> ReceiptPage {
    let answer = try await channel.send(request.request)
    return ReceiptPage(
      receipts: answer["receipts"]?.array ?? [], last: answer["last"]?.int ?? 0,
      isComplete: answer["isComplete"]?.bool ?? true)
  }
}
