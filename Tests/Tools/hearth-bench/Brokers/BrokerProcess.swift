import Glibc
import HearthProgram

/// A broker that runs for a benchmark: a child process on loopback with its own folder.
final class BrokerProcess: Sendable {
  let id: pid_t
  let port: Int
  private let folder: String

  /// Starts the broker and waits until it accepts connections.
  init(_ broker: Broker, cpu: Int?, in parent: String) throws {
    let folder = try Folder.makeTemporary(in: parent, named: "hearth-bench")
    let port = try FreePort.find(host: "127.0.0.1")
    if let (name, text) = broker.file?(port) { _ = try TextFile.create(folder + "/" + name, text) }
    let id = try ChildProcess.spawn(broker.program, broker.arguments(port, folder), cpu: cpu)
    (self.id, self.port, self.folder) = (id, port, folder)
    for _ in 0..<100 {
      if Self.answers(port) { return }
      usleep(50_000)
    }
    stop()
    throw BenchServer.Failure(description: "\(broker.name) takes no connections")
  }

  /// Returns true when the program is installed.
  static func isInstalled(_ broker: Broker) -> Bool {
    // The system looks for a program without a slash in the same way.
    (getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin").split(separator: ":").contains {
      access("\($0)/\(broker.program)", X_OK) == 0
    }
  }

  func stop() {
    ChildProcess.stop(id)
    Folder.remove(folder)
  }

  private static func answers(_ port: Int) -> Bool {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { return false }
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
