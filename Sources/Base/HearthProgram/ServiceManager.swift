import Glibc

/// The service manager, systemd or another one with the protocol of sd_notify(3): states are sent as datagrams to the
/// socket in `NOTIFY_SOCKET`.
package struct ServiceManager: Sendable {
  private let address: [UInt8]
  /// The interval within which the manager expects `WATCHDOG=1`; nil when it has no watchdog for the service.
  package let watchdogNanoseconds: Int64?

  /// Creates the manager from environment variables; nil when they are not set.
  ///
  /// - Parameters:
  /// - environment: Returns the value of a variable.
  /// - processID: The ID of this process. The watchdog must be for this process, because a service's children inherit
  ///   the variables.
  package init?(
    environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } },
    processID: Int32 = getpid()
  ) {
    guard let socket = environment("NOTIFY_SOCKET"), socket.hasPrefix("/") || socket.hasPrefix("@") else { return nil }
    var address = Array(socket.utf8)
    // An abstract socket name, which is not in the file system, begins with a zero byte.
    if address[0] == UInt8(ascii: "@") { address[0] = 0 }
    guard address.count > 1, address.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
    self.address = address
    let isMine = environment("WATCHDOG_PID").map { $0 == "\(processID)" } ?? true
    let microseconds = isMine ? environment("WATCHDOG_USEC").flatMap { Int64($0) } : nil
    watchdogNanoseconds = microseconds.flatMap { value in
      let (product, overflows) = value.multipliedReportingOverflow(by: 1_000)
      return value > 0 && !overflows ? product : nil
    }
  }

  /// The states that a service reports. The raw values are those of sd_notify(3).
  package enum State: String, Sendable {
    /// The service answers clients.
    case ready = "READY=1"
    /// The service answers no more clients.
    case stopping = "STOPPING=1"
    /// The service is alive.
    case alive = "WATCHDOG=1"
  }

  /// Reports a state without waiting.
  ///
  /// - Returns: False when it could not be sent.
  @discardableResult package func notify(_ state: State) -> Bool {
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let file = socket(AF_UNIX, type, 0)
    guard file >= 0 else { return false }
    defer { close(file) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
    // An abstract name ends with the given length, a path in the file system with a zero byte.
    let length = MemoryLayout<sa_family_t>.size + address.count + (address[0] == 0 ? 0 : 1)
    let text = Array(state.rawValue.utf8)
    return withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(file, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length)) == text.count
      }
    }
  }
}
