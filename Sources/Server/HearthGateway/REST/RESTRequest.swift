import HearthTransport
import HearthTree
import HearthWire
import NIOCore
import NIOHTTP1

/// A parsed HTTP request: its target, its credential, and the form of its response.
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

    /// Parses the method. A client that cannot send every method names the one it means in a `POST`.
    init(_ http: HTTPRequest, _ query: URLQuery) throws(RESTFailure) {
      var name = http.method.rawValue
      if http.method == .POST {
        let parameter = try query.single("x-http-method-override")
        if let other = try RESTRequest.single("X-HTTP-Method-Override", http.headers) ?? parameter {
          name = other.uppercased()
        }
      }
      guard let method = Method(rawValue: name) else { throw .methodNotAllowed }
      self = method
    }
  }

  var method: Method
  var target: RESTTarget
  /// The database as the client named it; it need not be a legal name.
  var namespace: String
  /// True when the request itself names the database: by a parameter or by its host.
  var isNamespaceNamed: Bool
  var credential: RESTCredential?
  var isPretty = false
  /// The white space of the response.
  var layout: JSONWriter.Layout { isPretty ? .service : .compact }
  var isSilent = false
  var isShallow = false
  var isExport = false
  /// True when a read asks for a checksum of the value instead of the value.
  var wantsChecksum = false
  var isStrict = false
  /// True when text for display has colours for a terminal.
  var isColored = false
  var isDryRun = false
  /// True when the write is to make no events. For administrators alone: others could hide their changes.
  var disablesTriggers = false
  /// True when the client asks for an event stream.
  var wantsEvents = false
  /// The children that a read selects; nil for the whole value.
  var query: Query?
  /// The point in history of a read, as the request names it; nil for the present.
  var at: String?
  /// The selection of a request for history; nil for any other.
  var history: HistorySelection?
  /// The timeout that the client sets for a read; nil for the default.
  var timeoutMilliseconds: Int64?
  /// True when the client asks for the ETag of the value.
  var wantsETag = false
  var ifMatch: String?
  var ifNoneMatch: String?
  /// The body's `Content-Type`, which only uploads use.
  var contentType: String?
  var body: ByteBuffer

  /// Parses a request.
  ///
  /// - Parameter defaultNamespace: the database of a request that names none.
  /// - Throws: the response to an invalid request.
  init(_ http: HTTPRequest, defaultNamespace: String) throws(RESTFailure) {
    try self.init(http, try URLQuery(of: http), defaultNamespace: defaultNamespace)
  }

  /// - Parameter query: the request's own.
  init(_ http: HTTPRequest, _ query: URLQuery, defaultNamespace: String) throws(RESTFailure) {
    body = http.body
    contentType = http.headers.first(name: "Content-Type")
    method = try Method(http, query)
    let host = http.headers.first(name: "Host")
    var name = try query.single("ns")
    if let rules = try MisplacedRules(http, query) {
      (target, name, isDryRun) = (.rules, rules.namespace, rules.isDryRun)
    } else {
      target = try RESTTarget(path: http.target.utf8.prefix { $0 != UInt8(ascii: "?") })
    }
    namespace = Namespace.choose(parameter: name, host: host, fallback: defaultNamespace)
    isNamespaceNamed = !Namespace.choose(parameter: name, host: host, fallback: "").isEmpty
    credential = try RESTCredential(headers: http.headers, query: query)
    try readForm(query)
    try readSelection(http, query)
    try readPast(query)
    try readConditions(http.headers)
  }

  private mutating func readForm(_ query: URLQuery) throws(RESTFailure) {
    let print = try query.single("print")
    isPretty = print == "pretty"
    isSilent = print == "silent"
    let format = try query.single("format")
    isExport = format == "export"
    wantsChecksum = format == "checksum" && method.isRead
    isStrict = format == "strict"
    isColored = format == "color"
    if try query.single("dryRun") == "true" { isDryRun = true }
    disablesTriggers = try query.single("disableTriggers") == "true"
    if let size = try query.single("writeSizeLimit"), !WriteSizeLimit.names.contains(size) {
      throw RESTFailure(400, "writeSizeLimit must be one of tiny, small, medium, large and unlimited")
    }
  }

  /// Parses the selection of a read. A stream has no form of its own but `format`.
  private mutating func readSelection(_ http: HTTPRequest, _ query: URLQuery) throws(RESTFailure) {
    guard method.isRead, case .data = target else { return }
    wantsEvents = http.acceptsEvents
    if wantsEvents {
      (isPretty, isSilent) = (false, false)
      self.query = try RESTFilters.query(query)
    } else {
      isShallow = try query.single("shallow") == "true"
      self.query = isShallow ? try RESTFilters.page(query) : try RESTFilters.query(query)
      if let text = try query.single("timeout") { timeoutMilliseconds = try Self.timeout(text) }
    }
  }

  private mutating func readPast(_ query: URLQuery) throws(RESTFailure) {
    if case .history = target { history = try HistorySelection(query) }
    guard case .data = target, let text = try query.single("at") else { return }
    guard method.isRead else { throw RESTFailure(400, "at is for reads only: history cannot be changed.") }
    guard !wantsEvents else {
      throw RESTFailure(400, "at cannot be used with a stream, because history does not change.")
    }
    at = text
  }

  /// Returns the milliseconds of `3ms`, `3s`, `1.5s` or `3min`, rounded up.
  private static func timeout(_ text: String) throws(RESTFailure) -> Int64 {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : "0"
    let millisecondsPerUnit: Int64? = ["ms": 1, "s": 1000, "min": 60_000][String(text.dropFirst(number.count))]
    guard let unit = millisecondsPerUnit, let whole = Self.digits(parts[0]), let part = Self.digits(fraction) else {
      throw .invalidTimeout
    }
    let scale = (0..<fraction.count).reduce(Int64(1)) { scale, _ in scale * 10 }
    let milliseconds = whole * unit + (part * unit + scale - 1) / scale
    guard (1...900_000).contains(milliseconds) else { throw .invalidTimeout }
    return milliseconds
  }

  /// Parses a number of one to nine digits.
  private static func digits(_ text: Substring) -> Int64? {
    guard (1...9).contains(text.count), text.allSatisfy(\.isNumber) else { return nil }
    return Int64(text)
  }

  private mutating func readConditions(_ headers: HTTPHeaders) throws(RESTFailure) {
    wantsETag = headers.first(name: "X-Firebase-ETag")?.lowercased() == "true"
    ifMatch = try Self.single("If-Match", headers)
    ifNoneMatch = try Self.single("If-None-Match", headers)
    if ifMatch != nil, method != .put, method != .delete { throw .ifMatchNotSupported }
    // A condition that is passed over would let a write through that its client believes to be guarded.
    if ifNoneMatch != nil, !method.isRead { throw .ifNoneMatchNotSupported }
  }

  fileprivate static func single(_ name: String, _ headers: HTTPHeaders) throws(RESTFailure) -> String? {
    let values = headers[name]
    guard values.count <= 1 else { throw RESTFailure(400, "\(name) given more than once.") }
    return values.first
  }
}

extension RESTFailure {
  static let invalidTimeout = RESTFailure(
    400, "timeout must be a positive time of at most 15min, such as 3ms, 3s or 3min")
}

extension URLQuery {
  /// Creates the parameters of a request's target.
  init(of http: HTTPRequest) throws(RESTFailure) {
    try self.init(http.query, strict: http.header("X-Firebase-Decoding") == "1")
  }
}

extension HTTPRequest {
  /// True when the client asks for an event stream.
  var acceptsEvents: Bool { headers["Accept"].contains { $0.lowercased().contains("text/event-stream") } }
}
