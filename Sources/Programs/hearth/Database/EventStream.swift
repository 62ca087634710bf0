import HearthTree

/// A parser of the events of a `text/event-stream` response as its bytes arrive.
struct EventStream {
  struct Event: Equatable {
    var name: String
    /// The `data` lines, joined by line feeds.
    var data: [UInt8]
  }

  struct Failure: Error, CustomStringConvertible { var description: String }

  /// The maximum size of an event; servers send events of half this size at most.
  static let eventBytesMax = 1 << 30

  private var bytes: [UInt8] = []
  /// The index in ``bytes`` from which a line's end is searched.
  private var scanned = 0
  private var name = ""
  private var data: [UInt8]?

  mutating func append(_ piece: some Collection<UInt8>) throws {
    guard bytes.count + piece.count + (data?.count ?? 0) <= Self.eventBytesMax else {
      throw Failure(description: "the server sent an event of more than \(Self.eventBytesMax) bytes")
    }
    bytes.append(contentsOf: piece)
  }

  /// Returns the next event; nil until more bytes arrive.
  mutating func next() -> Event? {
    var start = 0
    defer {
      bytes.removeFirst(start)
      scanned -= start
    }
    while let end = bytes[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
      var line = bytes[start..<end]
      start = end + 1
      scanned = start
      if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
      if let event = take(line) { return event }
    }
    scanned = bytes.count
    return nil
  }

  private mutating func take(_ line: ArraySlice<UInt8>) -> Event? {
    guard !line.isEmpty else {
      defer { (name, data) = ("", nil) }
      return data.map { Event(name: name.isEmpty ? "message" : name, data: $0) }
    }
    let field = line.prefix { $0 != UInt8(ascii: ":") }
    var value = line.dropFirst(field.count + 1)
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: field, as: UTF8.self) {
    case "event": name = String(decoding: value, as: UTF8.self)
    case "data": data = data.map { $0 + [UInt8(ascii: "\n")] + value } ?? Array(value)
    default: break
    }
    return nil
  }
}
