#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The memory limit of this process on Linux: containers and service managers limit it by control groups, and a process
/// that exceeds the limit is killed.
enum ControlGroup {
  /// Returns the limit in bytes; nil when there is none.
  ///
  /// - Parameters:
  /// - membership: The file with the control groups of the process.
  /// - root: The folder at which control groups are mounted.
  static func memoryBytesMax(membership: String = "/proc/self/cgroup", root: String = "/sys/fs/cgroup") -> Int? {
    // Inside a container, the mounted group is often the process's own one, whatever its path is outside.
    var files = [root + "/memory.max", root + "/memory/memory.limit_in_bytes"]
    for line in (text(of: membership) ?? "").split(separator: "\n") {
      // Lines are `0::/system.slice/hearth.service`, and with version 1 of control groups `9:memory:/docker/…`.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isFirstVersion = parts[1].split(separator: ",").contains("memory")
      guard isFirstVersion || parts[1].isEmpty else { continue }
      // The limits of the enclosing groups apply as well.
      var path = root + (isFirstVersion ? "/memory" : "")
      for name in parts[2].split(separator: "/") where name != ".." {
        path += "/" + name
        files.append(path + (isFirstVersion ? "/memory.limit_in_bytes" : "/memory.max"))
      }
    }
    return files.compactMap { text(of: $0).flatMap(limit) }.min()
  }

  /// Returns the number of bytes in a limit's text; nil for `max`, and for the huge number that means no limit in
  /// version 1.
  private static func limit(_ text: String) -> Int? {
    Int(text.prefix { $0.isWholeNumber }).flatMap { $0 > 0 && $0 < 1 << 60 ? $0 : nil }
  }

  /// Reads the beginning of a small file; nil when it cannot be read.
  private static func text(of file: String) -> String? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }
}
