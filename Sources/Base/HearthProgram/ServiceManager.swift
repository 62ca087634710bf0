import Glibc

/// What systemd, or who speaks like it, is told of a service that it started: sd_notify(3), a datagram to the socket that
/// the environment names.
package struct ServiceManager: Sendable {
  private let address: [UInt8]
  /// Within this time the manager wants to hear that the service lives; nil where it does not watch.
  package let watchdogNanoseconds: Int64?

  /// What the environment says; nil where nobody wants to be told.
  ///
  /// - Parameters:
  ///   - environment: looks a variable up.
  ///   - processID: whom the watch is for; a service's children have the variables too.
  package init?(
    environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } },
    processID: Int32 = getpid()
  ) {
    guard let socket = environment("NOTIFY_SOCKET"), socket.hasPrefix("/") || socket.hasPrefix("@") else { return nil }
    var address = Array(socket.utf8)
    // A name in no file system begins with a zero.
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

  /// What there is to tell. `READY=1` and the others are of sd_notify(3).
  package enum State: String, Sendable {
    /// Clients are answered.
    case ready = "READY=1"
    /// No more of them are.
    case stopping = "STOPPING=1"
    /// It lives.
    case alive = "WATCHDOG=1"
  }

  /// Tells it. Does not wait.
  ///
  /// - Returns: false when it could not be told.
  @discardableResult package func tell(_ state: State) -> Bool {
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let file = socket(AF_UNIX, type, 0)
    guard file >= 0 else { return false }
    defer { close(file) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
    // A name in no file system ends with its length, one in a file system with a zero.
    let length = MemoryLayout<sa_family_t>.size + address.count + (address[0] == 0 ? 0 : 1)
    let text = Array(state.rawValue.utf8)
    return withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(file, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length)) == text.count
      }
    }
  }
}
