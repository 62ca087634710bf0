import HearthAccounts
import HearthTree

/// Reads the parameters of a request, from the query or the body, as one JSON object.
enum IdentityBody {
  static let sizeBytesMax = 256 << 10
  /// The size limit of an import: up to 1000 users.
  static let importSizeBytesMax = 10 << 20
  private static let depthMax = 32

  /// Returns the request's object: from the query of a GET, and the body of other methods.
  ///
  /// - Parameter takesForm: true to accept a form as well as JSON.
  static func read(_ request: IdentityRequest, takesForm: Bool) throws(AccountError) -> JSON {
    if request.method == "GET" || request.method == "HEAD" { return object(request.query) }
    guard let first = request.body.first(where: { !" \t\r\n".utf8.contains($0) }) else { return .object([]) }
    if takesForm, first != UInt8(ascii: "{") {
      guard request.body.count <= sizeBytesMax, let pairs = PercentEncoding.pairs(request.body) else {
        throw malformed
      }
      return object(pairs)
    }
    return try json(request.body)
  }

  static let malformed = AccountError(.invalidArgument, "The request's body is not a JSON object.")

  static let tooLarge = AccountError(.invalidArgument, "The request's body is too large.")

  private static func json(_ bytes: [UInt8]) throws(AccountError) -> JSON {
    var limits = JSONLimits.standard
    limits.nestingMax = depthMax
    guard let value = JSON(parsing: bytes, limits: limits), value.members != nil else { throw malformed }
    return value
  }

  /// Returns the pairs as an object; a repeated name becomes an array.
  private static func object(_ pairs: [(name: String, value: String)]) -> JSON {
    var names: [String] = []
    var values: [String: [JSON]] = [:]
    for pair in pairs.prefix(1_000) {
      if values[pair.name] == nil { names.append(pair.name) }
      values[pair.name, default: []].append(.string(pair.value))
    }
    return .object(
      names.map { name in
        let list = values[name] ?? []
        return JSON.Member(name, list.count == 1 ? list[0] : .array(list))
      })
  }
}
