#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The memory that Linux lets this process have: containers and service managers limit it to less than the machine's,
/// and kill a process that takes more.
enum ControlGroup {
  /// The limit in bytes; nil without one.
  ///
  /// - Parameters:
  ///   - membership: the file that says which groups the process is in.
  ///   - root: where the groups are mounted.
  static func memoryBytesMax(membership: String = "/proc/self/cgroup", root: String = "/sys/fs/cgroup") -> Int? {
    // Inside a container the mount is often the process's own group, whatever its path is outside.
    var files = [root + "/memory.max", root + "/memory/memory.limit_in_bytes"]
    for line in (text(of: membership) ?? "").split(separator: "\n") {
      // `0::/system.slice/hearth.service`, and with the first version `9:memory:/docker/…`.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isFirstVersion = parts[1].split(separator: ",").contains("memory")
      guard isFirstVersion || parts[1].isEmpty else { continue }
      // A group has no more than those around it.
      var path = root + (isFirstVersion ? "/memory" : "")
      for name in parts[2].split(separator: "/") where name != ".." {
        path += "/" + name
        files.append(path + (isFirstVersion ? "/memory.limit_in_bytes" : "/memory.max"))
      }
    }
    return files.compactMap { text(of: $0).flatMap(limit) }.min()
  }

  /// The number of bytes in a limit's text; nil for `max`, and for the nearly endless number of the first version.
  private static func limit(_ text: String) -> Int? {
    Int(text.prefix { $0.isWholeNumber }).flatMap { $0 > 0 && $0 < 1 << 60 ? $0 : nil }
  }

  /// The beginning of a small file; nil when it cannot be read.
  private static func text(of file: String) -> String? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }
}
