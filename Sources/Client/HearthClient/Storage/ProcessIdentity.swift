import Foundation

/// The identity of a process on this machine, distinct from a later one with the same number.
struct ProcessIdentity: Equatable, Sendable {
  /// The process identifier.
  var number: Int32
  /// The start time of the process, with the system's boot and the namespace of process identifiers; empty when the
  /// system does not report it.
  var start: String

  /// The current process.
  static let current = ProcessIdentity(
    number: ProcessInfo.processInfo.processIdentifier, start: start(of: ProcessInfo.processInfo.processIdentifier) ?? ""
  )

  /// True when the process is running; false when the system does not report it.
  var isRunning: Bool { !start.isEmpty && Self.start(of: number) == start }

  #if os(Linux)
    /// Returns the start time from `/proc`: field 22 of `stat`, in ticks since the system started.
    private static func start(of number: Int32) -> String? {
      guard let stat = text("/proc/\(number)/stat"), let name = stat.lastIndex(of: ")") else { return nil }
      let fields = stat[name...].dropFirst().split(separator: " ")
      // A zombie process no longer uses the store.
      guard fields.count > 19, fields[0] != "Z", fields[0] != "X", let system else { return nil }
      return "\(fields[19]) \(system)"
    }

    private static let system: String? = {
      guard let start = text("/proc/sys/kernel/random/boot_id"),
        let space = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
      else { return nil }
      return "\(start) \(space)"
    }()

    private static func text(_ path: String) -> String? {
      guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() else { return nil }
      return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
  #else
    private static func start(of number: Int32) -> String? {
      var request: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_PID, number]
      var process = kinfo_proc()
      var size = MemoryLayout<kinfo_proc>.stride
      guard sysctl(&request, UInt32(request.count), &process, &size, nil, 0) == 0, size > 0 else { return nil }
      let start = process.kp_proc.p_un.__p_starttime
      return "\(start.tv_sec).\(start.tv_usec)"
    }
  #endif
}
