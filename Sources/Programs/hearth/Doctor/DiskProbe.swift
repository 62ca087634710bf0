import Glibc
import HearthDoctor
import HearthProgram
import HearthSystem

/// The disk below a folder: measured, and as the kernel describes it.
struct DiskProbe {
  let folder: String

  /// The number of timed syncs: enough for a significant median, and few enough to take less than a second on a
  /// rotating disk.
  private static let syncCount = 25
  private static let blockBytes = 4_096

  /// - Parameter thresholds: those of the server.
  func check(dataBytes: Int64, _ thresholds: SpaceThresholds) -> DiskCheck {
    let space = FileSystemSpace(at: folder) ?? FileSystemSpace(availableBytes: .max, totalBytes: .max)
    return DiskCheck(
      syncNanoseconds: syncs(), kind: kind, freeBytes: Int64(space.availableBytes),
      warnBytes: Int64(thresholds.warnBytes(totalBytes: space.totalBytes)),
      stopBytes: Int64(thresholds.stopBytes(totalBytes: space.totalBytes)), dataBytes: dataBytes)
  }

  /// Writes a block over itself and syncs it, as a log's commit does, in a file that no name leads to.
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
    // The first one also wrote where the file is.
    return Array(times.dropFirst())
  }

  // MARK: What the kernel says

  private static let memories: Set = ["tmpfs", "ramfs"]
  private static let networks: Set = ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "glusterfs", "afs"]

  private var kind: DiskCheck.Kind {
    guard let mount else { return .unknown }
    if Self.memories.contains(mount.fileSystem) { return .memory(mount.fileSystem) }
    if Self.networks.contains(mount.fileSystem) || mount.fileSystem.hasPrefix("fuse") {
      return .network(mount.fileSystem)
    }
    let device = "/sys/dev/block/\(mount.device)"
    guard let real = realpath(device, nil) else { return .unknown }
    defer { free(real) }
    let path = String(cString: real)
    if ["virtio", "vbd-", "vmbus"].contains(where: { path.contains($0) }) { return .virtual }
    // A partition has its disk's queue in the folder above.
    for queue in [device + "/queue", device + "/../queue"] {
      guard let text = try? TextFile.read(queue + "/rotational") else { continue }
      return text.hasPrefix("1") ? .rotating : .solid
    }
    return .unknown
  }

  /// The mount that the folder is in, by its device: proc(5), `/proc/[pid]/mountinfo`. File systems that give their files
  /// devices of their own, as btrfs does, are not found.
  private var mount: (device: String, fileSystem: String)? {
    var status = stat()
    guard stat(folder, &status) == 0, let mounts = try? TextFile.read("/proc/self/mountinfo") else { return nil }
    // `makedev` of glibc: the major number has 12 bits below, the minor one 8, and the rest stand above.
    let number = UInt64(status.st_dev)
    let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
    let minor = number & 0xFF | (number >> 12) & ~0xFF
    let device = "\(major):\(minor)"
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 3, fields[2] == device, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else {
        continue
      }
      return (device, String(fields[dash + 1]))
    }
    return nil
  }
}
