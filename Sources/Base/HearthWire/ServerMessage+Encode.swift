import HearthTree

// The texts (spaces for reading only):
//
// {"t":"c", "d":{"t":"h", "d":{"ts":1767225600000, "v":"5", "h":"localhost:9000", "s":"…"}}}   hello {"t":"c",
// "d":{"t":"o", "d":null}}                       pong; a client closes a socket whose pong has no d {"t":"d",
// "d":{"r":7, "b":{"s":"ok", "d":""}}}           reply {"t":"d", "d":{"a":"d", "b":{"p":"users/1", "d":null}}}  push; d
// is there even when it is null
//
// Pushed paths have no slash at their start, as in the messages of the Firebase service; the root is the empty string.

extension ServerMessage {
  /// Returns the message's JSON text.
  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    encode(into: &bytes)
    return bytes
  }

  /// Appends the message's JSON text.
  public func encode(into bytes: inout [UInt8]) {
    var writer = JSONWriter(appendingTo: bytes.take())
    write(to: &writer)
    bytes = writer.bytes
  }

  /// Returns the text of a push with a tag, from the text without one. The tag is the last member of the body, so that
  /// one text can be used for all recipients of the same change.
  public static func text(_ push: UnsafeRawBufferPointer, tag: Int32) -> [UInt8] {
    let end = "}}}".utf8
    var text: [UInt8] = []
    text.reserveCapacity(push.count + 16)
    text.append(contentsOf: push.dropLast(end.count))
    text.append(contentsOf: ",\"t\":\(tag)".utf8)
    text.append(contentsOf: end)
    return text
  }

  private func write(to writer: inout JSONWriter) {
    switch self {
    case .hello(let hello):
      writer.write(raw: "{\"t\":\"c\",\"d\":{\"t\":\"h\",\"d\":{\"ts\":")
      writer.write(hello.milliseconds)
      writer.write(raw: ",\"v\":\"5\",\"h\":")
      writer.write(hello.host)
      writer.write(raw: ",\"s\":")
      writer.write(hello.session)
      writer.write(raw: "}}}")
    case .shutdown(let text): Self.writeControl("s", text, to: &writer)
    case .reset(let host): Self.writeControl("r", host, to: &writer)
    case .pong: writer.write(raw: "{\"t\":\"c\",\"d\":{\"t\":\"o\",\"d\":null}}")
    case .switchTransport: writer.write(raw: "{\"t\":\"c\",\"d\":{\"t\":\"a\",\"d\":{}}}")
    case .endOfTransmission: writer.write(raw: "{\"t\":\"c\",\"d\":{\"t\":\"n\",\"d\":{}}}")
    case .reply(let number, let status, let data):
      writer.write(raw: "{\"t\":\"d\",\"d\":{\"r\":")
      writer.write(Int64(number))
      writer.write(raw: ",\"b\":{\"s\":")
      writer.write(status.rawValue)
      writer.write(raw: ",\"d\":")
      data.write(to: &writer)
      writer.write(raw: "}}}")
    case .push(let push):
      writer.write(raw: "{\"t\":\"d\",\"d\":{\"a\":")
      push.write(to: &writer)
      writer.write(raw: "}}}")
    }
  }

  private static func writeControl(_ type: StaticString, _ text: String, to writer: inout JSONWriter) {
    writer.write(raw: "{\"t\":\"c\",\"d\":{\"t\":\"")
    writer.write(raw: type)
    writer.write(raw: "\",\"d\":")
    writer.write(text)
    writer.write(raw: "}}")
  }
}

extension ServerMessage.ReplyData {
  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .emptyText: writer.write(raw: "\"\"")
    case .emptyObject: writer.write(raw: "{}")
    case .noIndex: writer.write(raw: "{\"w\":[\"no_index\"]}")
    case .text(let text): writer.write(text)
    case .node(let node): writer.write(node, .export)
    case .result(let result): writer.write(result.node, .export)
    case .json(let value): writer.write(value)
    }
  }
}

extension Push {
  /// Writes the action and the body, and leaves the body's object open.
  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .put(let path, let node, let tag):
      writer.write(raw: "\"d\",\"b\":{\"p\":")
      writer.write(path: path)
      writer.write(raw: ",\"d\":")
      writer.write(node, .export)
      writer.write(tag: tag)
    case .merge(let path, let changes, let tag):
      writer.write(raw: "\"m\",\"b\":{\"p\":")
      writer.write(path: path)
      writer.write(raw: ",\"d\":{")
      for (i, change) in changes.enumerated() {
        if i > 0 { writer.write(raw: ",") }
        writer.write(path: change.path)
        writer.write(raw: ":")
        writer.write(change.node, .export)
      }
      writer.write(raw: "}")
      writer.write(tag: tag)
    case .ranges(let path, let ranges, let tag):
      writer.write(raw: "\"rm\",\"b\":{\"p\":")
      writer.write(path: path)
      writer.write(raw: ",\"d\":[")
      for (i, range) in ranges.enumerated() {
        if i > 0 { writer.write(raw: ",") }
        writer.write(raw: "{")
        // A missing end is omitted, because a null makes the iOS client fail.
        if let start = range.start {
          writer.write(raw: "\"s\":")
          writer.write(post: start)
          writer.write(raw: ",")
        }
        if let end = range.end {
          writer.write(raw: "\"e\":")
          writer.write(post: end)
          writer.write(raw: ",")
        }
        writer.write(raw: "\"m\":")
        writer.write(range.node, .export)
        writer.write(raw: "}")
      }
      writer.write(raw: "]")
      writer.write(tag: tag)
    case .cancel(let path, let query):
      writer.write(raw: "\"c\",\"b\":{\"p\":")
      writer.write(path: path)
      guard let query else { break }
      writer.write(raw: ",\"q\":[")
      writer.write(query)
      writer.write(raw: "]")
    case .authenticationEnded(let status, let text):
      writer.write(raw: "\"ac\",\"b\":{\"s\":")
      writer.write(status.rawValue)
      writer.write(raw: ",\"d\":")
      writer.write(text)
    case .debug(let text):
      writer.write(raw: "\"sd\",\"b\":{\"msg\":")
      writer.write(text)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func write(path: Path) {
    write(path.keys.count == 1 ? path.keys[0].text : path.keys.map(\.text).joined(separator: "/"))
  }

  /// Writes the end of a range. An empty path, which means that the node is itself a leaf, is written as a slash, as
  /// clients do.
  fileprivate mutating func write(post: Path) {
    if post.isRoot { write("/") } else { write(path: post) }
  }

  fileprivate mutating func write(tag: Int32?) {
    guard let tag else { return }
    write(raw: ",\"t\":")
    write(Int64(tag))
  }
}

extension [UInt8] {
  /// Returns the bytes and leaves an empty array, so that they can be appended to without a copy.
  fileprivate mutating func take() -> [UInt8] {
    let bytes = self
    self = []
    return bytes
  }
}
