import Foundation
import Testing

@testable import HearthSystem

@Suite struct MachineTests {
  @Test("This machine has a processor and memory")
  func current() { #expect(Machine.current.processors >= 1 && Machine.current.memoryBytes > 0) }

  @Test("The memory limit of a container applies, not that of the machine")
  func containerMemory() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-groups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ path: String, _ text: String) throws {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    func limit() -> Int? {
      ControlGroup.memoryBytesMax(membership: folder.path + "/membership", root: folder.path + "/groups")
    }
    #expect(limit() == nil, "nothing is there")
    try write("membership", "0::/system.slice/hearth.service\n")
    try write("groups/system.slice/memory.max", "1073741824\n")
    try write("groups/system.slice/hearth.service/memory.max", "max\n")
    #expect(limit() == 1 << 30, "the group around it is limited")
    try write("groups/system.slice/hearth.service/memory.max", "536870912\n")
    #expect(limit() == 512 << 20)
    try write("groups/memory.max", "268435456\n")
    #expect(limit() == 256 << 20, "the mount is the container's own group")
    try FileManager.default.removeItem(at: folder.appendingPathComponent("groups"))
    try write("membership", "12:cpu,cpuacct:/a\n9:memory:/docker/x\n")
    try write("groups/memory/memory.limit_in_bytes", "9223372036854771712\n")
    #expect(limit() == nil, "so large a number is none")
    try write("groups/memory/docker/x/memory.limit_in_bytes", "134217728\n")
    #expect(limit() == 128 << 20)
  }
}
