#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Statistics that Linux reports about a process. Each is nil on other systems, and when it may not be read.
public enum ProcessStatistics {
  /// Returns the bytes of resident memory.
  ///
  /// - Parameter process: The process ID; nil for this process.
  public static func residentBytes(of process: Int32? = nil) -> Int? {
    pages(at: 1, of: process)
  }

  /// The processor time that this process has used in user and system mode, in seconds.
  public static var processorSeconds: Double? {
    var usage = rusage()
    #if canImport(Glibc)
      let this = __rusage_who_t(RUSAGE_SELF.rawValue)
    #else
      let this = RUSAGE_SELF
    #endif
    guard getrusage(this, &usage) == 0 else { return nil }
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// Files and sockets that this process has open.
  public static var openFileCount: Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Two entries are the folder itself and its parent, and one is the descriptor with which the folder is read.
    return max(0, count - 3)
  }

  /// The most files and sockets that this process may have open.
  public static var openFileCountMax: Int? {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : nil
  }

  private static func pages(at index: Int, of process: Int32?) -> Int? {
    let name = process.map { "\($0)" } ?? "self"
    let descriptor = open("/proc/\(name)/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let parts = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
    guard parts.count > index, let pages = Int(parts[index]) else { return nil }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
