import Glibc

/// A port that is currently free.
package enum FreePort {
  /// The reason why no port was found: with the host and the remedy.
  package struct Failure: Error, CustomStringConvertible { package var description: String }

  /// Asks the system for a free port and releases it at once. Another process may use it before the server does, which
  /// then reports an error; the system returns another port each time.
  package static func find(host: String) throws -> Int {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "0", &hints, &found) == 0, let first = found else {
      throw Failure(description: "--host \(host) is not an address of this machine")
    }
    defer { freeaddrinfo(first) }
    let file = socket(first.pointee.ai_family, first.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { throw TextFile.Failure("open a socket for", host) }
    defer { close(file) }
    guard bind(file, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0 else {
      throw TextFile.Failure("listen on", host)
    }
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(file, $0, &length) == 0 }
    }
    guard isKnown else { throw TextFile.Failure("read the address of", host) }
    return withUnsafeBytes(of: &address) { bytes in
      // The port is at the same offset for both address families, in network order.
      Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }
  }
}
