import HearthTree

// Messages of a server are read as leniently as their meaning allows: members may come in any order, unknown ones are
// skipped, an unknown action or a push that lacks a member is `other` and not an error, and data is read by
// ``JSONReader/receivedValue()``. An error means that the text is no envelope or breaks a limit: then the socket is
// closed, because nothing after the error can be read reliably.

extension ReceivedMessage {
  /// Decodes a whole message.
  ///
  /// - Parameters:
  /// - limits: The limits of a message.
  /// - replyKind: Returns the kind of data in the reply to the request with a number.
  public static func decode(
    _ text: UnsafeRawBufferPointer, limits: Limits = Limits(), replyKind: (Int32) -> ReplyKind = { _ in .json }
  ) throws(WireError) -> ReceivedMessage {
    do throws(JSONError) {
      var reader = JSONReader(text, limits: limits.json)
      reader.acceptsLoneSurrogates = true
      var decoder = ServerMessageDecoder(reader, limits)
      return try decoder.message(replyKind)
    } catch {
      throw WireError(.malformed, error.description)
    }
  }

  /// Decodes a whole message.
  ///
  /// - Parameters:
  /// - limits: The limits of a message.
  /// - replyKind: Returns the kind of data in the reply to the request with a number.
  public static func decode(
    _ text: [UInt8], limits: Limits = Limits(), replyKind: (Int32) -> ReplyKind = { _ in .json }
  ) throws(WireError) -> ReceivedMessage {
    let result: Result<ReceivedMessage, WireError> = text.withUnsafeBytes { bytes in
      do throws(WireError) {
        return .success(try decode(bytes, limits: limits, replyKind: replyKind))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// A cursor over one message, which can skip members and read them later, when their meaning is known.
private struct ServerMessageDecoder {
  private var reader: JSONReader
  private let limits: ReceivedMessage.Limits

  init(_ reader: JSONReader, _ limits: ReceivedMessage.Limits) {
    self.reader = reader
    self.limits = limits
  }

  mutating func message(_ replyKind: (Int32) -> ReceivedMessage.ReplyKind) throws(JSONError) -> ReceivedMessage {
    var (type, body): (String?, Int?)
    try reader.beginObject()
    while let name = try reader.nextMemberName() {
      switch name {
      case "t": type = try reader.string()
      case "d": body = try skipNextValue()
      default: try reader.skipValue()
      }
    }
    try reader.end()
    guard let type, let body else {
      throw JSONError(.wrongKind, "A message needs the members t and d", at: reader.offset)
    }
    reader.offset = body
    switch type {
    case "c": return try control()
    case "d": return try data(replyKind)
    default: return .other("a message of type \(type)")
    }
  }

  /// Skips the next value and returns its offset.
  private mutating func skipNextValue() throws(JSONError) -> Int {
    _ = try reader.kind()
    let offset = reader.offset
    try reader.skipValue()
    return offset
  }

  // MARK: Control

  private mutating func control() throws(JSONError) -> ReceivedMessage {
    let message = try reader.value()
    guard let type = message["t"]?.string else { return .other("a control message without a type") }
    let body = message["d"]
    switch type {
    case "h":
      guard let milliseconds = body?["ts"]?.int ?? body?["ts"]?.rounded else { return .other("a hello without a time") }
      return .hello(
        ServerMessage.Hello(
          milliseconds: milliseconds, host: body?["h"]?.string ?? "", session: body?["s"]?.string ?? ""))
    case "s": return .shutdown(body?.string ?? "")
    case "r":
      guard let host = body?.string else { return .other("a reset without a host") }
      return .reset(host: host)
    case "e": return .error(body?.string ?? "")
    case "o": return .pong
    default: return .other("a control message of type \(type)")
    }
  }

  // MARK: Data

  private mutating func data(_ replyKind: (Int32) -> ReceivedMessage.ReplyKind) throws(JSONError) -> ReceivedMessage {
    var (number, action, body): (Int64?, String?, Int?)
    try reader.beginObject()
    while let name = try reader.nextMemberName() {
      switch name {
      case "r" where try reader.kind() == .number: number = try reader.value().int
      case "a" where try reader.kind() == .string: action = try reader.string()
      case "b": body = try skipNextValue()
      default: try reader.skipValue()
      }
    }
    guard let body else { return .other("a message without a body") }
    reader.offset = body
    guard try reader.kind() == .object else { return .other("a message whose body is not an object") }
    if let number {
      guard let number = Int32(exactly: number) else { return .other("a reply to a request that cannot be") }
      return try reply(number, replyKind(number))
    }
    guard let action else { return .other("a message that is neither a reply nor a push") }
    return try push(action)
  }

  private mutating func reply(
    _ number: Int32, _ kind: ReceivedMessage.ReplyKind
  ) throws(JSONError) -> ReceivedMessage {
    var (status, data): (String?, Int?)
    try reader.beginObject()
    while let name = try reader.nextMemberName() {
      switch name {
      case "s" where try reader.kind() == .string: status = try reader.string()
      case "d": data = try skipNextValue()
      default: try reader.skipValue()
      }
    }
    guard let status else { return .other("a reply without a status") }
    guard let data else {
      return .reply(number, Status(rawValue: status), status == "ok" && kind == .node ? .node(.empty) : .json(.null))
    }
    reader.offset = data
    if status == "ok", kind == .node { return .reply(number, .ok, .node(try reader.receivedValue())) }
    return .reply(number, Status(rawValue: status), .json(try reader.value()))
  }

  private mutating func push(_ action: String) throws(JSONError) -> ReceivedMessage {
    var (path, tag): (Path?, Int32?)
    var (data, query, status, text): (Int?, JSON?, String?, String?)
    try reader.beginObject()
    while let name = try reader.nextMemberName() {
      switch name {
      case "p" where try reader.kind() == .string: path = try self.path(try reader.string())
      case "t" where try reader.kind() == .number:
        // A tag outside of the range that this client uses is replaced by 0, which no listen has.
        tag = (try reader.value().int).flatMap(Int32.init(exactly:)) ?? 0
      case "d": data = try skipNextValue()
      case "q" where try reader.kind() == .array: query = try reader.value().array?.first
      case "s" where try reader.kind() == .string: status = try reader.string()
      case "msg" where try reader.kind() == .string: text = try reader.string()
      default: try reader.skipValue()
      }
    }
    switch action {
    case "d", "m", "rm":
      guard let path else { return .other("a push \(action) without a path") }
      guard let data else { return .other("a push \(action) without data") }
      reader.offset = data
      return try push(action, path, tag)
    case "c":
      guard let path else { return .other("a cancel without a path") }
      return .push(.cancel(path: path, query: query))
    case "ac", "apc":
      var reason = ""
      if let data {
        reader.offset = data
        if try reader.kind() == .string { reason = try reader.string() }
      }
      let status = Status(rawValue: status ?? "")
      return action == "ac" ? .push(.authenticationEnded(status, text: reason)) : .appCheckEnded(status, text: reason)
    case "sd": return .push(.debug(text ?? ""))
    default: return .other("a push of kind \(action)")
    }
  }

  private mutating func push(_ action: String, _ path: Path, _ tag: Int32?) throws(JSONError) -> ReceivedMessage {
    switch action {
    case "d": return .push(.put(path: path, node: try reader.receivedValue(), tag: tag))
    case "m":
      guard try reader.kind() == .object else { return .other("a push m whose data is not an object") }
      var changes: [(path: Path, node: Node)] = []
      try reader.beginObject()
      while let name = try reader.nextMemberName() {
        guard changes.count < limits.mergePathsMax else { throw tooMany(limits.mergePathsMax, "paths in a push") }
        let place = try self.path(name.text)
        changes.append((place, try reader.receivedValue()))
      }
      return .push(.merge(path: path, changes: changes, tag: tag))
    default:
      guard try reader.kind() == .array else { return .other("a push rm whose data is not an array") }
      var ranges: [RangeMerge] = []
      try reader.beginArray()
      while try reader.nextElement() {
        guard ranges.count < limits.rangesMax else { throw tooMany(limits.rangesMax, "ranges in a push") }
        ranges.append(try range())
      }
      return .push(.ranges(path: path, ranges, tag: tag))
    }
  }

  private mutating func range() throws(JSONError) -> RangeMerge {
    var range = RangeMerge(start: nil, end: nil, node: .empty)
    try reader.beginObject()
    while let name = try reader.nextMemberName() {
      switch name {
      case "s" where try reader.kind() == .string: range.start = try path(try reader.string())
      case "e" where try reader.kind() == .string: range.end = try path(try reader.string())
      case "m": range.node = try reader.receivedValue()
      default: try reader.skipValue()
      }
    }
    return range
  }

  private func path(_ text: String) throws(JSONError) -> Path {
    // The number is checked before the values are created.
    let slashes = text.utf8.count { $0 == UInt8(ascii: "/") }
    guard slashes <= limits.pathKeysMax + 1 else { throw tooMany(limits.pathKeysMax, "keys in a path") }
    let path = Path(text)
    guard path.count <= limits.pathKeysMax else { throw tooMany(limits.pathKeysMax, "keys in a path") }
    return path
  }

  private func tooMany(_ count: Int, _ what: String) -> JSONError {
    JSONError(.tooMany, "More than \(count) \(what)", at: reader.offset)
  }
}

extension JSON {
  /// The nearest integer; nil when this is not a number or out of range.
  fileprivate var rounded: Int64? {
    if case .double(let value) = self { Int64(exactly: value.rounded()) } else { nil }
  }
}
