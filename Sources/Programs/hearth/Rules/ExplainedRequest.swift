import ArgumentParser
import HearthEngine
import HearthGateway
import HearthProgram
import HearthRules
import HearthTree
import HearthWorkbench

/// The options for a request to rules and its identity.
struct ExplainedRequest: ParsableArguments {
  @Option(help: ArgumentHelp("The path to read or listen to.", valueName: "path"))
  var read: String?

  @Option(help: ArgumentHelp("The path to set to --value; without --value, to delete.", valueName: "path"))
  var write: String?

  @Option(help: ArgumentHelp("The path to update; --value is an object whose names are paths.", valueName: "path"))
  var update: String?

  @Option(help: ArgumentHelp("The JSON value to write, or @FILE to read it from a file.", valueName: "json"))
  var value: String?

  @Option(help: ArgumentHelp("The uid of the user. If not given, the client is signed out.", valueName: "uid"))
  var uid: String?

  @Option(help: ArgumentHelp("Claims of the user's token: a JSON object.", valueName: "json"))
  var claims: String?

  @Option(
    help: ArgumentHelp("The complete auth value that rules see, instead of --uid and --claims.", valueName: "json"))
  var auth: String?

  @Option(
    help: ArgumentHelp(
      "The value of now in rules, in milliseconds since 1970. (default: the current time)", valueName: "ms"))
  var now: Int64?

  @Option(
    help: ArgumentHelp("The query of a read, as in a URL: 'orderBy=\"$key\"&limitToFirst=2'.", valueName: "string"))
  var query: String?

  /// True when an option was given.
  var isGiven: Bool { [read, write, update, value, uid, claims, auth, query].contains { $0 != nil } || now != nil }

  /// Decides the request, and returns the explanation.
  ///
  /// - Parameter data: The database as JSON; nil for an empty one.
  /// - Throws: the problem with the request, in a sentence.
  func explanation(of rules: RuleSet, on data: [UInt8]?) throws -> Explanation {
    let now = now ?? WallClock.nowMilliseconds
    let root = try data.map { try RequestText.value($0, "--data").resolved(existing: .empty, nowMilliseconds: now) }
    let (operation, location, request) = try asked()
    let prepared: RulesRequest
    let user = try identity()
    do throws(Failure) {
      prepared = try request.prepared(on: root ?? .empty, auth: user, nowMilliseconds: now)
    } catch {
      throw TextFile.Failure("the server refuses the request before evaluating the rules: \(error.message)")
    }
    return Explanation(
      operation: operation, path: location.path, decision: rules.decide(prepared, detail: .trace))
  }

  /// Returns the request in the form of the server's explain operation.
  ///
  /// - Throws: the problem with it, in a sentence.
  func json(auth: JSON?) throws -> JSON {
    var json = try asked().2.json.appending(["auth": auth ?? .null])
    if let now { json["now"] = .int(now) }
    return json
  }

  /// The uid of a user without given claims; nil when claims were given.
  var unknownClaimsUID: String? { auth == nil && claims == nil ? uid : nil }

  private func asked() throws -> (operation: String, Location, ProposedRequest) {
    switch (read, write, update) {
    case (let path?, nil, nil):
      guard value == nil else { throw TextFile.Failure("--value needs --write or --update") }
      let location = try RequestText.location(path)
      return ("read", location, .read(location.path, try parsedQuery()))
    case (nil, let path?, nil):
      let location = try RequestText.location(path)
      let value = try RequestText.value(try body() ?? Array("null".utf8), "--value", for: location)
      return ("write", location, .write(WriteOperation(.put(location, value))))
    case (nil, nil, let path?):
      let location = try RequestText.location(path)
      guard let body = try body(), !location.isPriority else { throw TextFile.Failure("--update needs a --value") }
      let writes = try RequestText.merge(body, at: location.path)
      return ("update", location, .write(WriteOperation(.merge(location.path, writes))))
    default: throw TextFile.Failure("give one of --read, --write and --update")
    }
  }

  private func body() throws -> [UInt8]? {
    guard query == nil else { throw TextFile.Failure("--query needs --read") }
    guard let value else { return nil }
    return value.hasPrefix("@") ? try RequestText.read(String(value.dropFirst())) : Array(value.utf8)
  }

  private func parsedQuery() throws -> Query? {
    guard let query else { return nil }
    do throws(RESTFailure) { return try RESTFilters.query(try URLQuery(query.utf8)) } catch {
      throw TextFile.Failure("--query: \(error.text)")
    }
  }

  /// Returns the `auth` of the rules.
  ///
  /// - Parameter known: The claims of the user's token when none were given.
  func identity(known: [JSON.Member] = []) throws -> JSON? {
    if let auth {
      guard uid == nil, claims == nil, let json = JSON(parsing: auth.utf8) else {
        throw TextFile.Failure("--auth must be JSON, and cannot be combined with --uid and --claims")
      }
      if case .null = json { return nil }
      return json
    }
    guard let uid else {
      guard claims == nil else { throw TextFile.Failure("--claims needs --uid") }
      return nil
    }
    let members = claims.map { JSON(parsing: $0.utf8)?.members } ?? known
    guard let members else { throw TextFile.Failure(ClaimsText.problem("--claims", claims ?? "")) }
    return OfflineAuth.user(uid, claims: members)
  }
}

/// The parser of a request's arguments.
enum RequestText {
  static func read(_ path: String) throws -> [UInt8] { Array(try TextFile.read(path).utf8) }

  static func location(_ path: String) throws -> Location {
    do throws(PathError) { return try Location(wire: path) } catch {
      throw TextFile.Failure("'\(path)' is not a path: a key must not contain . $ # [ ] or control characters")
    }
  }

  static func value(_ text: [UInt8], _ name: String, for location: Location = Location(path: .root)) throws
    -> WriteValue
  {
    try parse(text, name) { reader throws(JSONError) in try reader.writeValue(for: location) }
  }

  static func merge(_ text: [UInt8], at path: Path) throws -> [Write] {
    try parse(text, "--value") { reader throws(JSONError) in try reader.merge(below: path.count) }
  }

  private static func parse<Result>(
    _ text: [UInt8], _ name: String, _ body: (inout JSONReader) throws(JSONError) -> Result
  ) throws -> Result {
    do {
      return try text.withUnsafeBytes { bytes throws(JSONError) in
        var reader = JSONReader(bytes)
        let result = try body(&reader)
        try reader.end()
        return result
      }
    } catch let error as JSONError {
      throw TextFile.Failure("\(name) cannot be read at byte \(error.offset): \(error.message)")
    }
  }
}
