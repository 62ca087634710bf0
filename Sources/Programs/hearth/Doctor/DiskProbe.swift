import Glibc
import HearthDoctor
import HearthProgram
import HearthSystem

/// The disk below a folder: its measured syncs and its description by the kernel.
struct DiskProbe {
  let folder: String

  /// The number of timed syncs: enough for a significant median, and few enough to take less than a second on a
  /// rotating disk.
  private static let syncCount = 25
  private static let blockBytes = 4_096

  /// - Parameter thresholds: The server's thresholds.
  func check(dataBytes: Int64, _ thresholds: SpaceThresholds) -> DiskCheck {
    let space = FileSystemSpace(at: folder) ?? FileSystemSpace(availableBytes: .max, totalBytes: .max)
    return DiskCheck(
      syncNanoseconds: syncs(), kind: kind, freeBytes: Int64(space.availableBytes),
      warnBytes: Int64(thresholds.warnBytes(totalBytes: space.totalBytes)),
      stopBytes: Int64(thresholds.stopBytes(totalBytes: space.totalBytes)), dataBytes: dataBytes)
  }

  /// Overwrites a block and syncs it, as a log's commit does, in an unlinked file, and returns the durations.
  private func syncs() -> [Int64] {
    let name = "\(folder)/.doctor-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return [] }
    defer { close(file) }
    unlink(name)
    var times: [Int64] = []
    for round in 0..<Self.syncCount {
      let block = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: Self.blockBytes)
      let started = WallClock.monotonicNanoseconds
      guard pwrite(file, block, block.count, 0) == block.count, fdatasync(file) == 0 else { return [] }
      times.append(WallClock.monotonicNanoseconds - started)
    }
    // The first write also allocated the block.
    return Array(times.dropFirst())
  }

  // MARK: Data of the kernel

  private var kind: DiskCheck.Kind {
    guard let mount = Mount(of: folder) else { return .unknown }
    if mount.isInMemory { return .memory(mount.fileSystem) }
    if mount.isNetwork { return .network(mount.fileSystem) }
    let device = "/sys/dev/block/\(mount.device)"
    guard let real = realpath(device, nil) else { return .unknown }
    defer { free(real) }
    let path = String(cString: real)
    if ["virtio", "vbd-", "vmbus"].contains(where: { path.contains($0) }) { return .virtual }
    // The queue of a partition's disk is in the parent folder.
    for queue in [device + "/queue", device + "/../queue"] {
      guard let text = try? TextFile.read(queue + "/rotational") else { continue }
      return text.hasPrefix("1") ? .rotating : .solid
    }
    return .unknown
  }
}
