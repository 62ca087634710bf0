import Glibc
import HearthProgram

/// What the kernel says of a process.
enum ProcessMemory {
  /// Resident set size in bytes; nil when the process is not ours to look at.
  static func residentBytes(_ process: pid_t) -> Int? {
    guard let text = try? TextFile.read("/proc/\(process)/statm") else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
  }
}
