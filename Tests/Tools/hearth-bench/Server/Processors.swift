import CLinux

/// Which processors this thread may use.
enum Processors {
  /// As the kernel takes them at most: one bit for each.
  private static let maskBytes = 1_024

  /// Does work that leaves one processor to the server that is held to it, where the machine has others.
  static func leaving<Value>(_ cpu: Int?, _ work: () throws -> Value) rethrows -> Value {
    var before = [UInt8](repeating: 0, count: maskBytes)
    guard let cpu, cpu >= 0, cpu < maskBytes * 8, linux_getaffinity(&before, UInt(maskBytes)) > 0 else {
      return try work()
    }
    var others = before
    others[cpu / 8] &= ~(1 << UInt8(cpu % 8))
    // Without another processor nothing changes: the system refuses an empty set.
    _ = linux_setaffinity(others, UInt(maskBytes))
    defer { _ = linux_setaffinity(before, UInt(maskBytes)) }
    return try work()
  }
}
