/// A check of the clock, the open files and the memory available to a server.
package struct MachineCheck: Sendable {
  /// The machine's time in seconds since 1970.
  package var nowSeconds: Int64
  /// True when the kernel reports a synchronised clock; nil when it does not report it.
  package var isSynchronised: Bool?
  /// The time of the last write to a file of the data folder, in seconds since 1970.
  package var newestFileSeconds: Int64?
  /// The maximum number of open files of the server, sockets included.
  package var openFilesMax: UInt64
  /// The memory available to the server in bytes; 0 when it is unknown.
  package var memoryBytes: Int64
  /// The size of the data folder's databases and accounts in bytes, without page files.
  package var dataBytes: Int64
  /// The resident memory of a running server; nil when none runs or it is unknown.
  package var residentBytes: Int64?
  /// The memory for data of large databases in bytes; nil when all data is in memory.
  package var cacheBytes: Int64?

  /// Creates a check with these values.
  package init(
    nowSeconds: Int64, isSynchronised: Bool?, newestFileSeconds: Int64?, openFilesMax: UInt64, memoryBytes: Int64,
    dataBytes: Int64, residentBytes: Int64?, cacheBytes: Int64? = nil
  ) {
    (self.nowSeconds, self.isSynchronised, self.newestFileSeconds) = (nowSeconds, isSynchronised, newestFileSeconds)
    (self.openFilesMax, self.memoryBytes) = (openFilesMax, memoryBytes)
    (self.dataBytes, self.residentBytes, self.cacheBytes) = (dataBytes, residentBytes, cacheBytes)
  }

  /// 2026-01-01, before the first release of this program.
  static let earliestSeconds: Int64 = 1_767_225_600
  /// The tolerated lead of a file's time over the clock, because file systems and kernels round.
  static let fileAheadSeconds: Int64 = 60
  /// The limit of open files below which few clients can connect.
  static let openFilesFew: UInt64 = 4_096

  /// The findings on the clock, the open files and the memory.
  package var findings: [Finding] { clock + [openFiles] + memory }

  private var clock: [Finding] {
    let advice = "set the clock and synchronise it (systemd-timesyncd, chrony): tokens expire by it"
    if nowSeconds < Self.earliestSeconds {
      return [
        Finding("clock-wrong", .error, "the clock shows a time before the release of this program", advice: advice)
      ]
    }
    if let newest = newestFileSeconds, newest > nowSeconds, newest - nowSeconds > Self.fileAheadSeconds {
      return [
        Finding(
          "clock-behind", .error, "the clock is \(newest - nowSeconds) s behind the data folder's newest file",
          advice: advice)
      ]
    }
    switch isSynchronised {
    case true?: return [Finding(ok: "clock", "the clock is synchronised")]
    case false?:
      return [
        Finding(
          "clock-unsynchronised", .notice, "the clock is not synchronised", advice: advice)
      ]
    case nil: return [Finding(unchecked: "clock-unsynchronised", "the kernel does not report its state")]
    }
  }

  private var openFiles: Finding {
    let text = "the server can open \(openFilesMax) files; every connection is one"
    guard openFilesMax < Self.openFilesFew else { return Finding(ok: "open-files", text) }
    return Finding(
      "open-files", .warning, text, advice: "raise the hard limit: LimitNOFILE= of its unit, or ulimit -Hn")
  }

  private var memory: [Finding] {
    guard memoryBytes > 0 else { return [Finding(unchecked: "memory", "the size of the memory is unknown")] }
    let all = "\(memoryBytes >> 20) MiB"
    if let resident = residentBytes {
      let text = "the server uses \(resident >> 20) of \(all)"
      guard resident > memoryBytes / 10 * 8 else { return [Finding(ok: "memory", text)] }
      return [
        Finding(
          "memory", .warning, text,
          advice: cacheBytes == nil
            ? "add memory, or set --cache-size, with which data need not be in memory"
            : "set a smaller --cache-size, or add memory")
      ]
    }
    if let cacheBytes {
      let text = "--cache-size is \(cacheBytes >> 20) MiB; the memory has \(all)"
      // Beside the pages there are clients, listeners and the reserve of the allocator.
      guard cacheBytes > memoryBytes / 2 else { return [Finding(ok: "memory", text)] }
      return [Finding("memory", .warning, text, advice: "set --cache-size to at most half of the memory")]
    }
    let text = "the data takes \(dataBytes >> 20) MiB on the disk; the memory has \(all)"
    guard dataBytes > memoryBytes / 2 else { return [Finding(ok: "memory", text)] }
    return [
      Finding(
        "memory", .warning, text + "; all data is in memory while it is served",
        advice: "add memory, or set --cache-size, with which data need not be in memory")
    ]
  }
}
