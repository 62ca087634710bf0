import Glibc
import HearthProgram

/// A control group with a limit on memory, the system's cache of files included. Both versions of Linux's interface.
struct MemoryGroup {
  private let folder: String

  /// Makes a group. As root.
  ///
  /// - Parameter parent: A folder of the memory controller.
  init(in parent: String, limitBytes: Int) throws {
    folder = "\(parent)/hearth-bench-\(getpid())"
    guard mkdir(folder, 0o755) == 0 else {
      throw BenchServer.Failure(description: "\(folder) cannot be made: \(String(cString: strerror(errno)))")
    }
    let name = access("\(folder)/memory.max", F_OK) == 0 ? "memory.max" : "memory.limit_in_bytes"
    try write("\(limitBytes)", to: name)
  }

  /// Moves a process into the group.
  func add(_ process: pid_t) throws { try write("\(process)", to: "cgroup.procs") }

  /// Removes the group, whose processes have ended.
  func remove() { rmdir(folder) }

  private func write(_ text: String, to name: String) throws {
    let file = open("\(folder)/\(name)", O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    guard file >= 0, Glibc.write(file, text, text.utf8.count) == text.utf8.count else {
      throw BenchServer.Failure(description: "\(folder)/\(name) cannot be written: \(String(cString: strerror(errno)))")
    }
  }
}
