import CLinux
import Glibc
import HearthDoctor
import HearthSystem

/// The machine as the running server sees it, or as a server started from here would.
struct MachineProbe {
  /// The process of the running server; nil when none runs.
  let process: ServerProcess?

  func check(now: Int64, _ files: FolderProbe, cacheBytes: Int?) -> MachineCheck {
    let kept = linux_is_clock_kept()
    return MachineCheck(
      nowSeconds: now, isSynchronised: kept < 0 ? nil : kept == 1, newestFileSeconds: files.newestSeconds,
      openFilesMax: process?.openFilesMax ?? ownOpenFilesMax, memoryBytes: Int64(Machine.current.memoryBytes),
      dataBytes: files.dataBytes, residentBytes: process?.residentBytes,
      cacheBytes: cacheBytes.map { Int64($0) })
  }

  private var ownOpenFilesMax: UInt64 {
    var limit = rlimit()
    // The server raises its limit to the maximum.
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? UInt64(limit.rlim_max) : 0
  }
}
