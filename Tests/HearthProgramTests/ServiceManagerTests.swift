import Foundation
import HearthProgram
import Testing

/// Tests of messages to a service manager, over the tests' own sockets.
@Suite struct ServiceManagerTests {
  /// A service manager's socket; a name in the abstract namespace begins with `@`.
  private final class Listener {
    let file: Int32
    private let path: String

    init(_ path: String) throws {
      self.path = path
      file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(path.utf8)
      let isAbstract = path.hasPrefix("@")
      if isAbstract { bytes[0] = 0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let length = 2 + bytes.count + (isAbstract ? 0 : 1)
      let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, socklen_t(length)) }
      }
      try #require(code == 0)
    }

    deinit {
      close(file)
      unlink(path)
    }

    /// Returns the next message, or nil when there is none.
    func next() -> String? {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(file, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  private static func manager(_ environment: [String: String]) -> ServiceManager? {
    ServiceManager(environment: { environment[$0] }, processID: 42)
  }

  @Test(
    "the service manager gets each state in systemd's form, at a path and at an abstract name",
    arguments: [
      "/tmp/hearth-notify-\(getpid())", "@hearth-notify-\(getpid())",
    ])
  func hears(path: String) throws {
    let listener = try Listener(path)
    let manager = try #require(Self.manager(["NOTIFY_SOCKET": path]))
    for state in [ServiceManager.State.ready, .alive, .stopping] { #expect(manager.notify(state)) }
    #expect([listener.next(), listener.next(), listener.next()] == ["READY=1", "WATCHDOG=1", "STOPPING=1"])
    #expect(listener.next() == nil && manager.watchdogNanoseconds == nil)
  }

  @Test("without a notification socket, or with an invalid one, no message is sent")
  func withoutSocket() throws {
    #expect(Self.manager([:]) == nil)
    #expect(Self.manager(["NOTIFY_SOCKET": "relative"]) == nil && Self.manager(["NOTIFY_SOCKET": "@"]) == nil)
    #expect(Self.manager(["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 200)]) == nil)
    let gone = try #require(Self.manager(["NOTIFY_SOCKET": "/nonexistent/socket"]))
    #expect(!gone.notify(.ready))
  }

  @Test("the watchdog is for one process, and needs a valid interval")
  func watch() {
    func watched(_ more: [String: String]) -> Int64? {
      Self.manager(["NOTIFY_SOCKET": "/x"].merging(more) { $1 })?.watchdogNanoseconds
    }
    #expect(watched(["WATCHDOG_USEC": "30000000"]) == 30_000_000_000)
    #expect(watched(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"]) == 30_000_000_000)
    #expect(watched(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"]) == nil)
    for bad in ["0", "-1", "x", "9223372036854775807"] { #expect(watched(["WATCHDOG_USEC": bad]) == nil) }
  }
}
