import HearthTree

/// The `b` of a request: the members that were read, from which the action is created.
struct RequestBody {
  /// The kind of action, which determines the meaning of the body's members.
  enum Kind {
    case stats, listen, unlisten, get, put, merge, onDisconnectPut, onDisconnectMerge, onDisconnectCancel
    case authenticate(isGoogleToken: Bool)
    case unauthenticate, appCheck, dropAppCheck
    case unknown(String)

    init(_ name: String) {
      switch name {
      case "s": self = .stats
      // The second names are those of the first JavaScript SDK.
      case "q", "l": self = .listen
      case "n", "u": self = .unlisten
      case "g": self = .get
      case "p": self = .put
      case "m": self = .merge
      case "o": self = .onDisconnectPut
      case "om": self = .onDisconnectMerge
      case "oc": self = .onDisconnectCancel
      case "auth": self = .authenticate(isGoogleToken: false)
      case "gauth": self = .authenticate(isGoogleToken: true)
      case "unauth": self = .unauthenticate
      case "appcheck": self = .appCheck
      case "unappcheck", "unappeck": self = .dropAppCheck
      default: self = .unknown(name)
      }
    }

    /// True for the actions that concern a path.
    var hasPath: Bool {
      switch self {
      case .stats, .authenticate, .unauthenticate, .appCheck, .dropAppCheck, .unknown: false
      default: true
      }
    }
  }

  private enum Failure: Error {
    case notJSON(JSONError)
    case refused(Request.Refusal)
  }

  private var location: Location?
  private var hash: String?
  private var query: JSON?
  private var tag: Int32?
  private var compound: CompoundHash?
  private var value: WriteValue?
  private var writes: [Write]?
  private var counters: JSON?
  private var credential: String?
  private var override: Request.Credential.Override?
  private var token: String?
  /// The offset of `d` when it came before the path, which is needed to read it; nil otherwise.
  private var deferredDataOffset: Int?

  /// Reads a body. When the action is a refusal, the reader's position is inside the body.
  static func read(_ kind: Kind, _ reader: inout JSONReader) throws(JSONError) -> Request.Action {
    do throws(Failure) {
      var body = RequestBody()
      try body.readMembers(kind, &reader)
      return try body.action(kind)
    } catch {
      switch error {
      case .notJSON(let error): throw error
      case .refused(let refusal): return .refused(refusal)
      }
    }
  }

  /// Returns the action of a request without a body.
  static func empty(_ kind: Kind) -> Request.Action {
    do throws(Failure) {
      return try RequestBody().action(kind)
    } catch {
      if case .refused(let refusal) = error { return .refused(refusal) }
      return .refused(Request.Refusal(text: "The request's body is missing"))
    }
  }

  // MARK: Members

  private mutating func readMembers(_ kind: Kind, _ reader: inout JSONReader) throws(Failure) {
    do throws(JSONError) {
      try reader.beginObject()
      while let name = try reader.nextMemberName() {
        if kind.hasPath, try readLocation(name, &reader) { continue }
        switch kind {
        case .put, .onDisconnectPut, .merge, .onDisconnectMerge: try readWrite(kind, name, &reader)
        case .listen, .unlisten, .get: try readQuery(name, &reader)
        case .authenticate: try readCredential(name, &reader)
        case .stats where name == "c": counters = try reader.value()
        case .appCheck where name == "token": token = try reader.string()
        default: try reader.skipValue()
        }
      }
      if let deferredDataOffset, let location {
        var again = reader
        again.offset = deferredDataOffset
        try readData(kind, at: location, &again)
      }
    } catch {
      guard Self.isAboutData(error) else { throw .notJSON(error) }
      throw .refused(Request.Refusal(text: error.code == .invalidPath ? PathError.text : error.message))
    }
  }

  /// Returns true for errors that an app can cause; false for a text that no JSON library produces.
  private static func isAboutData(_ error: JSONError) -> Bool {
    switch error.code {
    case .unexpectedEnd, .unexpectedByte, .trailingBytes, .invalidUTF8: false
    default: true
    }
  }

  private mutating func readLocation(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) -> Bool {
    guard name == "p" else { return false }
    let offset = reader.offset
    let text = try reader.string()
    do throws(PathError) {
      location = try Location(wire: text)
    } catch {
      throw JSONError(.invalidPath, PathError.text, at: offset)
    }
    return true
  }

  private mutating func readWrite(_ kind: Kind, _ name: JSONName, _ reader: inout JSONReader) throws(JSONError) {
    switch name {
    case "d":
      if let location {
        deferredDataOffset = nil
        try readData(kind, at: location, &reader)
      } else {
        _ = try reader.kind()
        deferredDataOffset = reader.offset
        try reader.skipValue()
      }
    case "h": hash = try reader.null() ? nil : reader.string()
    default: try reader.skipValue()
    }
  }

  private mutating func readData(_ kind: Kind, at location: Location, _ reader: inout JSONReader) throws(JSONError) {
    switch kind {
    case .merge, .onDisconnectMerge: writes = try reader.merge(below: location.path.count)
    default: value = try reader.writeValue(for: location)
    }
  }

  private mutating func readQuery(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) {
    switch name {
    case "h": hash = try reader.null() ? nil : reader.string()
    case "q":
      reader.acceptsLoneSurrogates = true
      query = try reader.value()
      reader.acceptsLoneSurrogates = false
      switch query {
      case .null?: query = nil
      case .object(let members)? where members.isEmpty: query = nil
      default: break
      }
    case "t":
      guard let number = Int32(exactly: try reader.integer()) else {
        throw JSONError(.numberOutOfRange, "A tag must fit in 32 bits", at: reader.offset)
      }
      tag = number
    case "ch": compound = CompoundHash(wire: try reader.value())
    default: try reader.skipValue()
    }
  }

  private mutating func readCredential(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) {
    switch name {
    case "cred": credential = try reader.string()
    case "noauth": if try reader.bool() { override = .signedOut }
    case "authvar": override = try reader.null() ? .signedOut : .auth(try readIdentity(&reader))
    default: try reader.skipValue()
    }
  }

  /// Reads the `auth` of an override, which must be an object: rules must not treat another value as a signed-in user.
  private func readIdentity(_ reader: inout JSONReader) throws(JSONError) -> JSON {
    let offset = reader.offset
    let value = try reader.value()
    guard case .object = value else { throw JSONError(.wrongKind, "Expected an object", at: offset) }
    return value
  }

  // MARK: Action

  private func action(_ kind: Kind) throws(Failure) -> Request.Action {
    switch kind {
    case .stats: return .stats(counters ?? [:])
    case .listen:
      return .listen(
        Request.Listen(path: try path(), hash: hash ?? "", query: query, tag: tag, compound: compound))
    case .unlisten: return .unlisten(Request.Unlisten(path: try path(), query: query, tag: tag))
    case .get: return .get(Request.Get(location: try requiredLocation(), query: query))
    case .put: return .put(Request.Put(write: try write(), hash: hash))
    case .merge: return .merge(try merge())
    case .onDisconnectPut: return .onDisconnectPut(try write())
    case .onDisconnectMerge: return .onDisconnectMerge(try merge())
    case .onDisconnectCancel: return .onDisconnectCancel(try requiredLocation())
    case .authenticate(let isGoogleToken):
      return .authenticate(
        Request.Credential(token: try require(credential, "cred"), override: override, isGoogleToken: isGoogleToken))
    case .unauthenticate: return .unauthenticate
    case .appCheck: return .appCheck(token: try require(token, "token"))
    case .dropAppCheck: return .dropAppCheck
    case .unknown(let name): return .unknown(name: name)
    }
  }

  private func require<Value>(_ value: Value?, _ name: String) throws(Failure) -> Value {
    guard let value else { throw .refused(Request.Refusal(text: "The request's member \(name) is missing")) }
    return value
  }

  private func requiredLocation() throws(Failure) -> Location { try require(location, "p") }

  /// Returns the path of an action that is not allowed on a priority.
  private func path() throws(Failure) -> Path {
    let location = try requiredLocation()
    guard !location.isPriority else { throw .refused(Request.Refusal(text: PathError.text)) }
    return location.path
  }

  private func write() throws(Failure) -> Write {
    Write(location: try requiredLocation(), value: try require(value, "d"))
  }

  private func merge() throws(Failure) -> Request.Merge {
    let base = try path()
    let absolute = try require(writes, "d").map { Write(location: $0.location.under(base), value: $0.value) }
    return Request.Merge(path: base, writes: absolute, hash: hash)
  }
}
