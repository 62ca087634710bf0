import Glibc
import HearthTestKit

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// A blocking TCP connection of a test, with a timeout for every wait.
final class LiveConnection {
  private let descriptor: Int32
  private var received: [UInt8] = []

  struct Ended: Error {}
  /// An error for unexpected input, after which the test cannot continue.
  struct Unexpected: Error { var lines: [String] }

  init(port: Int) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    descriptor = try Self.connect(&address, AF_INET)
  }

  /// Connects to the Unix domain socket of a data folder.
  init(to socket: LocalSocket) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.connectPath.utf8) }
    descriptor = try Self.connect(&address, AF_UNIX)
  }

  private static func connect<Address>(_ address: inout Address, _ family: Int32) throws -> Int32 {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    var timeout = timeval(tv_sec: Polling.timeoutSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard result == 0 else {
      close(descriptor)
      throw Ended()
    }
    return descriptor
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = Glibc.send(descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Reads the next `count` bytes.
  func take(_ count: Int) throws -> [UInt8] {
    while received.count < count { try receive() }
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }

  /// Returns bytes that have arrived, or waits for the next; empty at the end of the connection.
  func takeSome() throws -> [UInt8] {
    if received.isEmpty {
      do { try receive() } catch { if hasEnded { return [] } else { throw error } }
    }
    defer { received = [] }
    return received
  }

  /// Reads lines that end with a line feed alone, without it.
  func takeRawLines(_ count: Int) throws -> [String] {
    try (0..<count).map { _ in
      while !received.contains(10) { try receive() }
      return String(decoding: try take((received.firstIndex(of: 10) ?? 0) + 1).dropLast(), as: UTF8.self)
    }
  }

  private var hasEnded: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }

  /// Reads the lines of an HTTP head, without its empty line.
  func takeHead() throws -> [String] {
    var lines = [try takeLine()]
    while case let line = try takeLine(), !line.isEmpty { lines.append(line) }
    return lines
  }

  /// Reads the next line, without its end.
  func takeLine() throws -> String {
    var looked = 0
    while true {
      while let end = place(of: 10, from: looked) {
        if end > 0, received[end - 1] == 13 { return String(decoding: try take(end + 1).dropLast(2), as: UTF8.self) }
        looked = end + 1
      }
      looked = received.count
      try receive()
    }
  }

  /// Returns the index of a byte in the received data. It uses `memchr`, because lines have megabytes and tests are
  /// debug builds.
  private func place(of byte: Int32, from start: Int) -> Int? {
    received.withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress else { return nil }
      return memchr(base + start, byte, bytes.count - start).map { UnsafeRawPointer($0) - base }
    }
  }

  /// Shrinks the receive buffer, so that data stays with the server until it is read. A much smaller buffer would make
  /// a megabyte take a minute.
  func takeLittle() {
    var bytes: Int32 = 32_768
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// True when data has arrived, or the connection has ended.
  var hasBytes: Bool {
    var byte: UInt8 = 0
    return !received.isEmpty || recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
  }

  private func receive() throws {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { throw Ended() }
    received += buffer.prefix(count)
  }
}

/// An HTTP response.
struct LiveResponse {
  var status: Int
  /// The header fields by names in lower case.
  var headers: [String: String]
  var body: String
}

extension LiveConnection {
  func request(
    _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]
  ) throws -> LiveResponse {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    send(Array((text + "\r\n" + (body ?? "")).utf8))
    return try takeResponse(hasBody: method != "HEAD")
  }

  /// Reads the answer to a sent request.
  func takeResponse(hasBody: Bool = true) throws -> LiveResponse {
    var lines = try takeHead()
    let status = Int(lines.removeFirst().split(separator: " ")[1]) ?? 0
    var fields: [String: String] = [:]
    for line in lines {
      let name = line.prefix { $0 != ":" }
      fields[name.lowercased()] = String(line.dropFirst(name.count + 2))
    }
    let length = hasBody ? Int(fields["content-length"] ?? "0") ?? 0 : 0
    return LiveResponse(status: status, headers: fields, body: String(decoding: try take(length), as: UTF8.self))
  }
}

/// A WebSocket of a test.
final class LiveSocket {
  private let connection: LiveConnection
  private var number = 0
  /// The server's hello, with which the socket begins.
  private(set) var hello = ""

  init(port: Int, _ parameters: String = "ns=default", headers: String = "", expectsHello: Bool = true) throws {
    connection = try LiveConnection(port: port)
    connection.send(
      Array(
        """
        GET /.ws?v=5&\(parameters) HTTP/1.1\r
        Host: localhost:9000\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        \(headers)\r

        """.utf8))
    _ = try connection.takeHead()
    if expectsHello { hello = try receive() }
  }

  /// The session ID in the hello.
  var session: String { String(hello.split(separator: "\"s\":\"")[1].prefix { $0 != "\"" }) }

  /// Sends a text with a mask of zeros, which leaves it unchanged; tests send megabytes.
  func send(_ text: String) {
    let text = Array(text.utf8)
    var frame: [UInt8] = [0x81]
    switch text.count {
    case ...125: frame.append(0x80 | UInt8(text.count))
    case ...0xFFFF: frame += [0x80 | 126, UInt8(text.count >> 8), UInt8(text.count & 0xFF)]
    default:
      frame.append(0x80 | 127)
      for shift in stride(from: 56, through: 0, by: -8) { frame.append(UInt8(text.count >> shift & 0xFF)) }
    }
    connection.send(frame + [0, 0, 0, 0] + text)
  }

  /// Sends a request; numbers count from 1.
  func request(_ action: String, _ body: String) {
    number += 1
    send("{\"t\":\"d\",\"d\":{\"r\":\(number),\"a\":\"\(action)\",\"b\":\(body)}}")
  }

  func takeLittle() { connection.takeLittle() }

  /// Sends a close frame.
  func close() { connection.send([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]) }

  /// Returns the next message, or `close <code>` for a close frame. Pings are skipped.
  func receive() throws -> String {
    while true {
      let head = try connection.take(2)
      let lengthBytes = head[1] == 126 ? 2 : head[1] == 127 ? 8 : 0
      let length = lengthBytes == 0 ? Int(head[1]) : try connection.take(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
      let payload = try connection.take(length)
      switch head[0] & 0xF {
      case 1: return String(decoding: payload, as: UTF8.self)
      case 8: return "close \(payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })"
      default: continue
      }
    }
  }

  /// Returns the data part of the next message: a reply as `r <number> <status> <d>`, a push as `<action> <body>`.
  func next() throws -> String {
    let text = try receive()
    let (reply, push) = ("{\"t\":\"d\",\"d\":{\"r\":", "{\"t\":\"d\",\"d\":{\"a\":\"")
    if text.hasPrefix(reply) {
      let parts = text.dropFirst(reply.count).dropLast(3).split(separator: ",\"b\":{\"s\":\"", maxSplits: 1)
      let rest = parts[1].split(separator: "\",\"d\":", maxSplits: 1)
      return "r \(parts[0]) \(rest[0]) \(rest[1])"
    }
    guard text.hasPrefix(push) else { return text }
    let parts = text.dropFirst(push.count).dropLast(2).split(separator: "\",\"b\":", maxSplits: 1)
    return "\(parts[0]) \(parts[1])"
  }
}
