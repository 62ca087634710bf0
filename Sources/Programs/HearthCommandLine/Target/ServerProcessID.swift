import Glibc
import HearthProgram

/// A process, told from later ones with the same number by its start: proc(5).
package struct ServerProcessID: Equatable, Sendable {
  /// The process id.
  package var id: Int32
  /// The time of the start, in clock ticks since the machine's start.
  package var startTicks: UInt64
  /// The id of the machine's start.
  package var bootID: String

  /// A process with known values.
  package init(id: Int32, startTicks: UInt64, bootID: String) {
    (self.id, self.startTicks, self.bootID) = (id, startTicks, bootID)
  }

  /// The running process of that number; nil when there is none, or it belongs to another user.
  package init?(running id: Int32) {
    var status = stat()
    guard id > 0, lstat("/proc/\(id)", &status) == 0, status.st_uid == geteuid(),
      let text = try? TextFile.read("/proc/\(id)/stat"), let ticks = Self.startTicks(text),
      let boot = try? TextFile.read("/proc/sys/kernel/random/boot_id")
    else { return nil }
    self.init(id: id, startTicks: ticks, bootID: String(boot.prefix { $0 != "\n" }))
  }

  /// True while this process runs.
  package var isRunning: Bool { ServerProcessID(running: id) == self }

  /// Returns field 22 of `/proc/PID/stat`. The second field is the program's name in parentheses, which may contain
  /// spaces and parentheses.
  static func startTicks(_ text: String) -> UInt64? {
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    return fields.count > 19 ? UInt64(fields[19]) : nil
  }
}
