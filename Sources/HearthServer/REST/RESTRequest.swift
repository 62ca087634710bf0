import HearthTree
import HearthWire
import NIOCore
import NIOHTTP1

/// An HTTP request, understood: what it addresses, who says so, and how the answer should look.
struct RESTRequest: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case patch = "PATCH"
    case post = "POST"
    case delete = "DELETE"
    case options = "OPTIONS"

    var isRead: Bool { self == .get || self == .head }
  }

  var method: Method
  var target: RESTTarget
  /// As the client named it; it need not be a legal name.
  var namespace: String
  var credential: RESTCredential?
  var isPretty = false
  var isSilent = false
  var isShallow = false
  var isExport = false
  var isStrict = false
  var isDryRun = false
  /// The client asks for the ETag of what it reads or writes.
  var wantsETag = false
  var ifMatch: String?
  var ifNoneMatch: String?
  var body: ByteBuffer

  /// - Parameter defaultNamespace: the database of a request that names none.
  /// - Throws: the answer to give, for a request that is not understood.
  init(_ http: HTTPRequest, defaultNamespace: String) throws(RESTFailure) {
    let uri = http.target.utf8
    let path = uri.prefix { $0 != UInt8(ascii: "?") }
    let strict = http.headers.first(name: "X-Firebase-Decoding") == "1"
    let query = try URLQuery(uri.dropFirst(path.count + 1), strict: strict)
    body = http.body
    method = try Self.method(http, query)
    target = try RESTTarget(path: path)
    namespace = Namespace.choose(
      parameter: try query.single("ns"), host: http.headers.first(name: "Host"), fallback: defaultNamespace)
    credential = try RESTCredential(headers: http.headers, query: query)
    try readForm(query)
    try readConditions(http.headers)
    try refuseUnserved(http.headers, query)
  }

  private static func method(_ http: HTTPRequest, _ query: URLQuery) throws(RESTFailure) -> Method {
    var name = http.method.rawValue
    if http.method == .POST {
      let parameter = try query.single("x-http-method-override")
      if let other = http.headers.first(name: "X-HTTP-Method-Override") ?? parameter { name = other.uppercased() }
    }
    guard let method = Method(rawValue: name) else { throw .methodNotAllowed }
    return method
  }

  private mutating func readForm(_ query: URLQuery) throws(RESTFailure) {
    let print = try query.single("print")
    isPretty = print == "pretty"
    isSilent = print == "silent"
    isShallow = try query.single("shallow") == "true"
    let format = try query.single("format")
    isExport = format == "export"
    isStrict = format == "strict"
    isDryRun = try query.single("dryRun") == "true"
    if let timeout = try query.single("timeout") { try Self.checkTimeout(timeout) }
    if let size = try query.single("writeSizeLimit"),
      !["tiny", "small", "medium", "large", "unlimited"].contains(size)
    {
      throw RESTFailure(400, "writeSizeLimit must be one of tiny, small, medium, large and unlimited")
    }
  }

  /// The budget itself is not needed: a read here takes no longer than the writing of its answer.
  private static func checkTimeout(_ text: String) throws(RESTFailure) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let millisecondsPerUnit = ["ms": 1, "s": 1000, "min": 60_000][String(text.dropFirst(digits.count))]
    guard digits.count <= 9, let number = Int(digits), let unit = millisecondsPerUnit,
      (1...900_000).contains(number * unit)
    else { throw RESTFailure(400, "timeout must be a positive time of at most 15min, such as 3ms, 3s or 3min") }
  }

  private mutating func readConditions(_ headers: HTTPHeaders) throws(RESTFailure) {
    wantsETag = headers.first(name: "X-Firebase-ETag")?.lowercased() == "true"
    ifMatch = headers.first(name: "If-Match")
    ifNoneMatch = headers.first(name: "If-None-Match")
    if ifMatch != nil, method != .put, method != .delete { throw .ifMatchNotSupported }
  }

  private func refuseUnserved(_ headers: HTTPHeaders, _ query: URLQuery) throws(RESTFailure) {
    guard method.isRead, case .data = target else { return }
    let filters = [
      "orderBy", "startAt", "startAfter", "endAt", "endBefore", "equalTo", "limitToFirst", "limitToLast",
    ]
    if let filter = query.first(of: filters) { throw .notServed("the query parameter \(filter)") }
    if query.first(of: ["callback"]) != nil { throw .notServed("the query parameter callback") }
    if headers["Accept"].contains(where: { $0.lowercased().contains("text/event-stream") }) {
      throw .notServed("event streams")
    }
  }
}
