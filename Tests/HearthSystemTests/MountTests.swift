import HearthSystem
import Testing

/// Tests of the kinds of file systems.
@Suite struct MountTests {
  private static let list = """
    22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
    30 22 0:26 / /dev/shm rw,nosuid shared:4 - tmpfs tmpfs rw,size=4g
    41 22 0:52 / /mnt/a rw - nfs4 server:/export rw,vers=4.2
    42 22 0:53 / /mnt/b rw master:7 propagate_from:2 - fuse.sshfs user@host:/ rw
    broken 8:9 line
    43 22 0:54
    """

  @Test func `The mount of a device is found with its file system`() throws {
    let disk = try #require(Mount(device: "8:1", list: Self.list))
    #expect(disk.fileSystem == "ext4" && !disk.isNetwork && !disk.isInMemory)
    #expect(Mount(device: "0:26", list: Self.list)?.isInMemory == true)
    #expect(Mount(device: "0:52", list: Self.list)?.isNetwork == true)
    #expect(Mount(device: "0:53", list: Self.list)?.isNetwork == true)
    #expect(Mount(device: "8:9", list: Self.list) == nil && Mount(device: "0:54", list: Self.list) == nil)
    #expect(Mount(of: "/nowhere/at/all") == nil)
  }

  #if os(Linux)
    @Test func `The system's own files are in no network`() throws {
      #expect(try #require(Mount(of: "/proc/self/mountinfo")).fileSystem == "proc")
    }
  #endif
}
