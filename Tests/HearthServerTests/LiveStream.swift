import Foundation
import Testing

/// An event stream of a test, as a client of the protocol reads it.
final class LiveStream {
  let connection: LiveConnection
  /// The head's lines.
  let head: [String]
  private(set) var text: [UInt8] = []
  private(set) var isEnded = false

  /// Opens a stream that is expected to begin.
  init(port: Int, _ target: String, version: String = "1.1", headers: String = "") throws {
    connection = try LiveConnection(port: port)
    let accept = "Accept: text/event-stream\r\n"
    connection.send(Array("GET \(target) HTTP/\(version)\r\nHost: localhost\r\n\(accept)\(headers)\r\n".utf8))
    head = try connection.takeHead()
    guard head[0] == "HTTP/1.1 200 OK" else { throw LiveConnection.Unexpected(lines: head) }
  }

  /// The next event's bytes without the empty line, in one line: `put|{"path":…}`. `end` behind the last.
  func next() throws -> String {
    let end = Array("\n\n".utf8)
    while true {
      if let at = text.firstRange(of: end) {
        let event = String(decoding: text[..<at.lowerBound], as: UTF8.self)
        text.removeSubrange(..<at.upperBound)
        let lines = event.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 2 && lines[0].hasPrefix("event: ") && lines[1].hasPrefix("data: "), "\(event)")
        return "\(lines[0].dropFirst(7))|\(lines[1].dropFirst(6))"
      }
      if isEnded { return text.isEmpty ? "end" : "rest \(text)" }
      try receive()
    }
  }

  /// One chunk of the body.
  func receive() throws {
    var line: [UInt8] = []
    while !line.ends(in: "\r\n") { line += try connection.take(1) }
    let size = try #require(Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16))
    text += try connection.take(size)
    try #require(try connection.take(2) == Array("\r\n".utf8))
    isEnded = size == 0
  }

  /// True when the server has closed the connection.
  func isClosed() -> Bool { (try? connection.take(1)) == nil }
}

extension [UInt8] {
  fileprivate func ends(in text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}

extension TestServer {
  func stream(_ target: String, version: String = "1.1", headers: String = "") throws -> LiveStream {
    try LiveStream(port: port, target, version: version, headers: headers)
  }
}
