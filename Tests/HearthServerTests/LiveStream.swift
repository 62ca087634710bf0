import Foundation
import Testing

/// An event stream of a test, parsed as by a client of the protocol.
final class LiveStream {
  let connection: LiveConnection
  /// The lines of the response's head.
  let head: [String]
  private(set) var text: [UInt8] = []
  private(set) var isEnded = false

  /// Opens a stream that is expected to succeed.
  init(port: Int, _ target: String, version: String = "1.1", headers: String = "") throws {
    connection = try LiveConnection(port: port)
    let accept = "Accept: text/event-stream\r\n"
    connection.send(Array("GET \(target) HTTP/\(version)\r\nHost: localhost\r\n\(accept)\(headers)\r\n".utf8))
    head = try connection.takeHead()
    guard head[0] == "HTTP/1.1 200 OK" else { throw LiveConnection.Unexpected(lines: head) }
  }

  /// Returns the next event's bytes in one line, without the empty line: `put|{"path":…}`. `end` follows the last.
  func next() throws -> String {
    while true {
      if let end = endOfEvent {
        let event = String(decoding: text[..<end], as: UTF8.self)
        text.removeSubrange(..<(end + 2))
        let lines = event.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 2 && lines[0].hasPrefix("event: ") && lines[1].hasPrefix("data: "), "\(event)")
        return "\(lines[0].dropFirst(7))|\(lines[1].dropFirst(6))"
      }
      if isEnded { return text.isEmpty ? "end" : "rest of \(text.count) bytes" }
      try receive()
    }
  }

  /// The offset of the next empty line. It uses `memmem`, because events have megabytes and tests are debug builds.
  private var endOfEvent: Int? {
    text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      var start = 0
      while start + 1 < bytes.count, let found = memchr(base + start, 10, bytes.count - 1 - start) {
        let place = UnsafeRawPointer(found) - base
        if bytes[place + 1] == 10 { return place }
        start = place + 1
      }
      return nil
    }
  }

  /// Reads the next bytes of the body, which ends with the connection.
  private func receive() throws {
    let bytes = try connection.takeSome()
    text += bytes
    isEnded = bytes.isEmpty
  }

  /// True when the server has closed the connection.
  func isClosed() -> Bool { (try? connection.take(1)) == nil }
}

extension TestServer {
  func stream(_ target: String, version: String = "1.1", headers: String = "") throws -> LiveStream {
    try LiveStream(port: port, target, version: version, headers: headers)
  }
}
