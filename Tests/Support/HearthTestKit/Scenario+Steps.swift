import HearthEngine
import HearthRules
import HearthTree

extension Scenario {
  /// The connection ID of the server's own steps, whose answers have no recipient.
  static let server = ConnectionID(rawValue: 0)

  /// A step split into words, and the rest of the line.
  struct Words {
    private(set) var rest: String

    init(_ text: String) { rest = text }

    /// The next word without consuming it; empty at the end.
    var peek: String { String(rest.drop { $0 == " " }.prefix { $0 != " " }) }

    /// Consumes the next word; empty at the end.
    mutating func next() -> String {
      let trimmed = rest.drop { $0 == " " }
      let word = trimmed.prefix { $0 != " " }
      rest = String(trimmed.dropFirst(word.count).drop { $0 == " " })
      return String(word)
    }
  }

  static func deploy(_ source: String) throws -> Command {
    do {
      return Command(connection: server, principal: .administrator, action: .deployRules(try RuleSet.compile(source)))
    } catch {
      throw ScenarioError(error.uploadErrorText)
    }
  }

  static func replaceAll(_ json: String) throws -> Command {
    let operation = WriteOperation(.put(Location(path: .root), try value(json, for: Location(path: .root))))
    return Command(connection: server, principal: .administrator, action: .write(operation))
  }

  static func command(_ connection: ConnectionID, _ words: inout Words) throws -> Command {
    Command(connection: connection, request: 1, action: try action(&words))
  }

  private static func action(_ words: inout Words) throws -> Command.Action {
    let verb = words.next()
    switch verb {
    case "connect": return .connect
    case "disconnect": return .disconnect
    case "admin": return .authenticate(.administrator)
    case "unauth": return .unauthenticate
    case "revoke": return .endCredential(revocation: UInt64(words.next()))
    case "auth": return .authenticate(try principal(words.rest))
    case "listen": return .listen(try listenRequest(&words))
    case "unlisten":
      let path = Path(words.next())
      let (query, tag) = try queryAndTag(&words)
      return .unlisten(path, query: query, tag: tag)
    case "get": return .get(Path(words.next()), try queryAndTag(&words).query)
    case "ondisconnect": return try onDisconnect(&words)
    case "put":
      let location = try Location(wire: words.next())
      return .write(WriteOperation(.put(location, try value(words.rest, for: location))))
    case "swap":
      let hash = words.next()
      let location = try Location(wire: words.next())
      let change = WriteOperation.Change.put(location, try value(words.rest, for: location))
      return .write(WriteOperation(change, expectedHash: hash == "-" ? "" : hash))
    case "merge":
      let path = try Location(wire: words.next()).path
      return .write(WriteOperation(.merge(path, try read(words.rest) { try $0.merge(below: path.count) })))
    default: throw ScenarioError("'\(verb)' is nothing that a connection does")
    }
  }

  private static func listenRequest(_ words: inout Words) throws -> ListenRequest {
    var request = ListenRequest(Path(words.next()))
    if !["query", "ranges"].contains(words.peek) { request.hash = words.next() }
    if words.peek == "ranges" {
      _ = words.next()
      request.compound = try compoundHash(words.next())
    }
    (request.query, request.tag) = try queryAndTag(&words)
    return request
  }

  /// Parses `query {…} tag T`, or only one of the two.
  private static func queryAndTag(_ words: inout Words) throws -> (query: Query?, tag: Int32?) {
    var query: Query?
    if words.peek == "query" {
      _ = words.next()
      query = try Query(wire: try read(words.next()) { try $0.value() })
    }
    guard words.peek == "tag" else { return (query, nil) }
    _ = words.next()
    guard let tag = Int32(words.next()) else { throw ScenarioError("a tag is a number") }
    return (query, tag)
  }

  private static func compoundHash(_ json: String) throws -> CompoundHash {
    let json = try read(json) { try $0.value() }
    guard case .array(let hashes)? = json["hs"], case .array(let posts)? = json["ps"] else {
      throw ScenarioError("ranges are told by hs and ps")
    }
    return CompoundHash(hashes: hashes.compactMap(\.string), posts: posts.compactMap { $0.string.map { Path($0) } })
  }

  private static func onDisconnect(_ words: inout Words) throws -> Command.Action {
    let verb = words.next()
    let location = try Location(wire: words.next())
    switch verb {
    case "put": return .onDisconnect(.put(location, try value(words.rest, for: location)))
    case "merge":
      return .onDisconnect(.merge(location.path, try read(words.rest) { try $0.merge(below: location.path.count) }))
    case "cancel": return .cancelOnDisconnect(location)
    default: throw ScenarioError("'\(verb)' is nothing that is done at a connection's end")
    }
  }

  private static func principal(_ text: String) throws -> Principal {
    var words = Words(text)
    let claims = try read(words.next()) { try $0.value() }
    guard words.next() == "until" else { return Principal(auth: claims) }
    return Principal(auth: claims, deadlineMonotonicMilliseconds: Int64(words.next()))
  }

  private static func value(_ json: String, for location: Location) throws -> WriteValue {
    try read(json) { try $0.writeValue(for: location) }
  }

  private static func read<Value>(_ json: String, _ body: (inout JSONReader) throws -> Value) throws -> Value {
    try Array(json.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      let value = try body(&reader)
      try reader.end()
      return value
    }
  }
}
