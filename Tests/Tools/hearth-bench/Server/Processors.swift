import CLinux

/// The processors that this thread may use.
enum Processors {
  /// The most bytes in the kernel's processor mask, one bit for each processor.
  private static let maskBytes = 1_024

  /// Runs work without the processor that a server is bound to, if the machine has others.
  static func leaving<Value>(_ cpu: Int?, _ work: () throws -> Value) rethrows -> Value {
    var before = [UInt8](repeating: 0, count: maskBytes)
    guard let cpu, cpu >= 0, cpu < maskBytes * 8, linux_getaffinity(&before, UInt(maskBytes)) > 0 else {
      return try work()
    }
    var others = before
    others[cpu / 8] &= ~(1 << UInt8(cpu % 8))
    // Without another processor nothing changes, because the system refuses an empty set.
    _ = linux_setaffinity(others, UInt(maskBytes))
    defer { _ = linux_setaffinity(before, UInt(maskBytes)) }
    return try work()
  }
}
