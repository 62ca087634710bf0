import Foundation
import HearthSync
import HearthTree
import ServerTestKit
import Testing

@testable import HearthClient

@Suite struct DiskStoreCrashTests {
  @Test("a killed process loses no committed change, and an open transaction is rolled back")
  func killed() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/cache"
    await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as String] in
      let store = try DiskStore(path: file)
      for i in 0..<50 {
        try store.save(
          StoredWrite(id: i, content: .overwrite(Location(path: Path("w")), WriteValue(Node(.int(Int64(i)))))))
        try store.replaceServerData(
          at: Location(path: Path("a/k\(i)")), with: Node(.string(String(repeating: "x", count: 1_000))))
      }
      try store.transaction {
        try store.removeAllWrites()
        try store.replaceServerData(at: Location(path: .root), with: .empty)
        kill(getpid(), SIGKILL)
      }
    }
    let store = try DiskStore(path: file)
    #expect(try store.writes().map(\.id) == Array(0..<50))
    #expect(try store.serverData(at: Path("a")).childCount == 50)
    #expect(try store.serverDataSizeBytes() > 50_000)
  }

  @Test("a second process of a program is refused while the first runs, and not after its end")
  func twoProcesses() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/cache"
    do {
      let store = try DiskStore(path: file)
      try store.replaceServerData(at: Location(path: Path("a")), with: Node(.int(1)))
      await #expect(processExitsWith: .success) { [file = file as String] in
        let error = #expect(throws: DiskStoreError.self) { try DiskStore(path: file) }
        exit(error?.code == .inUse ? 0 : 1)
      }
      #expect(try store.serverData(at: Path("a")) == Node(.int(1)))
    }
    await #expect(processExitsWith: .success) { [file = file as String] in
      let store = try DiskStore(path: file)
      // The process ends abruptly, as in a crash.
      try store.transaction { _exit(0) }
    }
    #expect(try DiskStore(path: file).serverData(at: Path("a")) == Node(.int(1)))
  }
}
