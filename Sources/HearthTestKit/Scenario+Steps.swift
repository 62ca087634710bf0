import HearthEngine
import HearthRules
import HearthTree

extension Scenario {
  /// Whom steps of the server itself are answered to: nobody.
  static let server = ConnectionID(rawValue: 0)

  /// A step's words, and whatever follows them.
  struct Words {
    private(set) var rest: String

    init(_ text: String) { rest = text }

    /// The next word; empty at the end.
    mutating func next() -> String {
      let trimmed = rest.drop { $0 == " " }
      let word = trimmed.prefix { $0 != " " }
      rest = String(trimmed.dropFirst(word.count).drop { $0 == " " })
      return String(word)
    }
  }

  static func deploy(_ source: String) throws -> Command {
    do {
      return Command(connection: server, identity: .administrator, action: .deployRules(try RuleSet.compile(source)))
    } catch {
      throw ScenarioError(error.serviceText)
    }
  }

  static func replaceAll(_ json: String) throws -> Command {
    let operation = WriteOperation(.put(Location(path: .root), try value(json, for: Location(path: .root))))
    return Command(connection: server, identity: .administrator, action: .write(operation))
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
    case "revoke": return .endCredential
    case "auth": return .authenticate(try identity(words.rest))
    case "listen":
      let path = Path(words.next())
      return .listen(path, hash: words.next())
    case "unlisten": return .unlisten(Path(words.next()))
    case "get": return .get(Path(words.next()))
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

  private static func identity(_ text: String) throws -> Identity {
    var words = Words(text)
    let claims = try read(words.next()) { try $0.value() }
    guard words.next() == "until" else { return Identity(auth: claims) }
    return Identity(auth: claims, deadlineMonotonicMilliseconds: Int64(words.next()))
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
