import Foundation
import Synchronization

/// A server on loopback with a thread for each connection, for tests that define the other side byte by byte.
final class LoopbackServer: Sendable {
  /// One accepted connection.
  struct Connection {
    let file: Int32

    /// Reads until the text has this ending; returns all received text when the peer closes before.
    func read(until end: String) -> String {
      var bytes: [UInt8] = []
      let end = Array(end.utf8)
      var byte: UInt8 = 0
      while !bytes.suffix(end.count).elementsEqual(end), recv(file, &byte, 1, 0) == 1 { bytes.append(byte) }
      return String(decoding: bytes, as: UTF8.self)
    }

    func read(count: Int) -> String {
      var bytes = [UInt8](repeating: 0, count: count)
      let got = recv(file, &bytes, count, Int32(MSG_WAITALL))
      return String(decoding: bytes.prefix(max(0, got)), as: UTF8.self)
    }

    /// Writes a text; returns false when the connection is closed.
    @discardableResult
    func write(_ text: String) -> Bool {
      let bytes = Array(text.utf8)
      return send(file, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Waits until the peer closes.
    func waitForEnd() {
      var byte: UInt8 = 0
      while recv(file, &byte, 1, 0) > 0 {}
    }
  }

  let port: Int
  private let listener: Int32
  private let accepted = Atomic(0)

  var connectionCount: Int { accepted.load(ordering: .acquiring) }

  init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listening = listener
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listening, pointer, length) | listen(listening, 16) | getsockname(listening, pointer, &length)
      }
    }
    guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      while true {
        let file = accept(listening, nil, nil)
        guard file >= 0 else {
          close(listening)
          return
        }
        accepted.add(1, ordering: .releasing)
        Thread.detachNewThread {
          serve(Connection(file: file))
          close(file)
        }
      }
    }
  }

  /// Stops listening; open connections end on their own.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// Returns a server that answers each HTTP request with this text.
  static func answering(_ text: String) throws -> LoopbackServer {
    try LoopbackServer { connection in
      _ = connection.read(until: "\r\n\r\n")
      connection.write(text)
    }
  }
}

/// Values that threads of a test append and the test reads.
final class Collected<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  var all: [Value] { values.withLock { $0 } }
  func append(_ value: Value) { values.withLock { $0.append(value) } }
}
