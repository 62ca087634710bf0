import Glibc

/// A blocking TCP connection of the fan-out client. It makes plain system calls, so that its cost is the kernel's
/// alone.
final class FanoutSocket {
  let file: Int32
  /// The timeout of a step in seconds, longer than any server needs.
  private static let timeoutSeconds = 20
  private static let chunkBytes = 1 << 16
  /// The largest answer of a step before its mark, in bytes: the data of the room, or a server's greeting.
  private static let answerBytesMax = 1 << 22

  init(host: String, port: Int) throws {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else {
      throw FanoutFailure("\(host) is no address")
    }
    defer { freeaddrinfo(first) }
    file = socket(first.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { throw FanoutFailure("no socket: \(String(cString: strerror(errno)))") }
    var timeout = timeval(tv_sec: Self.timeoutSeconds, tv_usec: 0)
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var one: Int32 = 1
    setsockopt(file, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    guard connect(file, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0 else {
      throw FanoutFailure("cannot connect to \(host):\(port): \(String(cString: strerror(errno)))")
    }
  }

  deinit { if file >= 0 { close(file) } }

  /// Performs the steps, each after the answer to the one before.
  func perform(_ steps: [FanoutPeer.Step]) throws {
    var answer: [UInt8] = []
    for step in steps {
      try send(step.send)
      while true {
        if let end = Self.end(of: step.mark, in: answer) {
          answer.removeFirst(end)
          break
        }
        try receive(into: &answer)
      }
    }
  }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FanoutFailure("the server takes nothing: \(String(cString: strerror(errno)))") }
      rest = rest.dropFirst(count)
    }
  }

  private func receive(into answer: inout [UInt8]) throws {
    var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
    let count = recv(file, &chunk, chunk.count, 0)
    if count < 0, errno == EINTR { return }
    guard count > 0, answer.count < Self.answerBytesMax else {
      let text = String(decoding: answer.suffix(200), as: UTF8.self)
      throw FanoutFailure("the server does not let a client in; it said last: \(text)")
    }
    answer += chunk[..<count]
  }

  private static func end(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
    guard let first = mark.first else { return 0 }
    return bytes.indices.first { bytes[$0] == first && bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
  }
}

struct FanoutFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
