import HearthTree

// The text of a message (spaces for reading only):
//
// {"t":"c", "d":{"t":"p", "d":{}}}                                       a control message: a ping {"t":"d",
// "d":{"r":7, "a":"p", "b":{"p":"/a/b", "d":{"x":1}}}}         a data message: request 7, a put
//
// Members may come in any order. Values that are stored are read in place and once when the action comes before them,
// as in the messages of every client except the Java ones; otherwise they are skipped first and read later.

extension ClientMessage {
  /// Decodes a whole message.
  ///
  /// A text that is not JSON or not an envelope throws an error, because it cannot be answered. A request that breaks a
  /// rule of paths or values has the action ``Request/Action/refused(_:)``.
  public static func decode(_ text: UnsafeRawBufferPointer) throws(WireError) -> ClientMessage {
    do throws(JSONError) {
      var reader = JSONReader(text)
      let message = try readEnvelope(&reader)
      return message
    } catch {
      throw WireError(.malformed, error.description)
    }
  }

  /// Decodes a whole message.
  public static func decode(_ text: [UInt8]) throws(WireError) -> ClientMessage {
    let result: Result<ClientMessage, WireError> = text.withUnsafeBytes { bytes in
      do throws(WireError) { return .success(try decode(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Returns the request in a text that ``decode(_:)`` refuses because of bytes that are not UTF-8 or because of
  /// unescaped control characters; its action is ``Request/Action/refused(_:)``. nil for any other text.
  ///
  /// firebase.js before version 5 encodes strings with characters beyond Latin-1 in this way with long polling. If its
  /// session ended without an answer, it would repeat the request forever.
  public static func refusal(ofMisencoded text: UnsafeRawBufferPointer) -> ClientMessage? {
    let readable = text.map { $0 < 0x20 || $0 >= 0x80 ? UInt8(ascii: "?") : $0 }
    guard readable != Array(text), case .request(let request)? = try? decode(readable) else { return nil }
    let refusal = Request.Refusal(text: "The request is not UTF-8 text")
    return .request(Request(number: request.number, action: .refused(refusal)))
  }

  private static func readEnvelope(_ reader: inout JSONReader) throws(JSONError) -> ClientMessage {
    var layer: Layer?
    var postponed: Int?
    var message: ClientMessage?
    try reader.beginObject()
    while let name = try reader.nextMemberName() {
      switch name {
      case "t": layer = Layer(try reader.string())
      case "d":
        if let layer {
          let read = try layer.read(&reader)
          if read.isRefused { return read }
          message = read
        } else {
          _ = try reader.kind()
          postponed = reader.offset
          try reader.skipValue()
        }
      default: try reader.skipValue()
      }
    }
    try reader.end()
    if let message { return message }
    guard let layer, let postponed else {
      throw JSONError(.wrongKind, "A message needs the members t and d", at: reader.offset)
    }
    var again = reader
    again.offset = postponed
    return try layer.read(&again)
  }

  private var isRefused: Bool {
    if case .request(let request) = self, case .refused = request.action { true } else { false }
  }

  /// The two kinds of envelope.
  private enum Layer {
    case control
    case data
    case unknown

    init(_ name: String) {
      switch name {
      case "c": self = .control
      case "d": self = .data
      default: self = .unknown
      }
    }

    func read(_ reader: inout JSONReader) throws(JSONError) -> ClientMessage {
      switch self {
      case .control: return try readControl(&reader)
      case .data: return .request(try Request.read(&reader))
      case .unknown: throw JSONError(.wrongKind, "The type of an envelope must be c or d", at: reader.offset)
      }
    }

    private func readControl(_ reader: inout JSONReader) throws(JSONError) -> ClientMessage {
      var type = ""
      try reader.beginObject()
      while let name = try reader.nextMemberName() {
        switch name {
        case "t": type = try reader.string()
        default: try reader.skipValue()
        }
      }
      switch type {
      case "p": return .ping
      case "n": return .endOfTransmission
      default: return .otherControl(type: type)
      }
    }
  }
}

extension Request {
  fileprivate static func read(_ reader: inout JSONReader) throws(JSONError) -> Request {
    var number: Int32?
    var kind: RequestBody.Kind?
    var postponed: Int?
    var action: Action?
    try reader.beginObject()
    while let name = try reader.nextMemberName() {
      switch name {
      case "r": number = try readNumber(&reader)
      case "a": kind = RequestBody.Kind(try reader.string())
      case "b":
        if let number, let kind {
          action = try RequestBody.read(kind, &reader)
          // The reader is inside the refused value; the rest of the message cannot change the answer.
          if let action, case .refused = action { return Request(number: number, action: action) }
        } else {
          _ = try reader.kind()
          postponed = reader.offset
          try reader.skipValue()
        }
      default: try reader.skipValue()
      }
    }
    guard let number, let kind else {
      throw JSONError(.wrongKind, "A request needs the members r and a", at: reader.offset)
    }
    if let action { return Request(number: number, action: action) }
    guard let postponed else { return Request(number: number, action: RequestBody.empty(kind)) }
    var again = reader
    again.offset = postponed
    return Request(number: number, action: try RequestBody.read(kind, &again))
  }

  private static func readNumber(_ reader: inout JSONReader) throws(JSONError) -> Int32 {
    guard let number = Int32(exactly: try reader.integer()) else {
      throw JSONError(.numberOutOfRange, "A request number must fit in 32 bits", at: reader.offset)
    }
    return number
  }
}
