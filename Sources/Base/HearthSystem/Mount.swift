#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The mounted file system of a file or folder.
package struct Mount: Sendable, Equatable {
  /// The numbers of the device, as in `8:1`.
  package let device: String
  /// The type of the file system, such as `ext4`.
  package let fileSystem: String

  private static let memories: Set = ["tmpfs", "ramfs"]
  private static let networks: Set = ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "glusterfs", "afs"]

  /// The size of the system's list of mounts, at most.
  private static let listSizeBytesMax = 4 << 20

  /// Finds the mount of a path by its device; `nil` when the system does not tell it. File systems with their own
  /// devices for files, such as btrfs, are not found.
  package init?(of path: String) {
    var status = stat()
    let list = AtomicFile(path: "/proc/self/mountinfo")
    guard stat(path, &status) == 0, let bytes = try? list.read(bytesMax: Self.listSizeBytesMax) else { return nil }
    // `makedev` of glibc: the lower 12 bits of the major number, the lower 8 of the minor one, and the rest above.
    let number = UInt64(truncatingIfNeeded: status.st_dev)
    let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
    let minor = number & 0xFF | (number >> 12) & ~0xFF
    self.init(device: "\(major):\(minor)", list: String(decoding: bytes, as: UTF8.self))
  }

  /// Finds the mount of a device in the text of proc(5), `/proc/[pid]/mountinfo`.
  package init?(device: String, list: String) {
    for line in list.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 3, fields[2] == device, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else {
        continue
      }
      (self.device, fileSystem) = (device, String(fields[dash + 1]))
      return
    }
    return nil
  }

  /// True for a file system in memory.
  package var isInMemory: Bool { Self.memories.contains(fileSystem) }

  /// True for a network file system, and for those of FUSE, most of which are.
  package var isNetwork: Bool { Self.networks.contains(fileSystem) || fileSystem.hasPrefix("fuse") }
}
