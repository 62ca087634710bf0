import Glibc
import HearthProgram
import Testing

@testable import HearthCommandLine

@Suite struct DevelopmentServerFolderTests {
  private func withFolder(_ work: (DevelopmentServerFolder) throws -> Void) throws {
    let base = try Folder.makeTemporary()
    defer { Folder.remove(base) }
    try work(DevelopmentServerFolder(path: base + "/state/hearth"))
  }

  private func own(in folder: String = "/app") throws -> DevelopmentServer {
    let process = try #require(ServerProcessID(running: getpid()))
    return DevelopmentServer(
      process: process, projectFolder: folder, dataFolder: "/tmp/data", url: "http://127.0.0.1:9000")
  }

  @Test func `commands of the folder find the server until it is removed`() throws {
    try withFolder { folder in
      let server = try own()
      try folder.add(server)
      #expect(folder.servers(of: ["/app"]) == [server])
      #expect(folder.servers(of: ["/other"]).isEmpty)
      folder.remove(processID: getpid())
      #expect(folder.servers(of: ["/app"]).isEmpty)
    }
  }

  @Test func `the folder and its files are the owner's alone`() throws {
    try withFolder { folder in
      try folder.add(own())
      var status = stat()
      #expect(stat(folder.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
      #expect(stat("\(folder.path)/dev-\(getpid()).json", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `a file of a process that has ended is not followed, and goes with the next server`() throws {
    try withFolder { folder in
      let running = try own()
      var ended = running
      ended.process.startTicks += 1
      try folder.add(ended)
      #expect(folder.servers(of: ["/app"]).isEmpty)
      ended.process.id = Int32.max
      try folder.add(ended)
      try folder.add(running)
      #expect(Folder.names(in: folder.path) == ["dev-\(getpid()).json"])
    }
  }

  @Test func `a folder or file that others may open, and links, are not followed`() throws {
    try withFolder { folder in
      try folder.add(own())
      let file = "\(folder.path)/dev-\(getpid()).json"
      chmod(file, 0o644)
      #expect(folder.servers(of: ["/app"]).isEmpty)
      chmod(file, 0o600)
      rename(file, folder.path + "/kept")
      symlink("kept", file)
      #expect(folder.servers(of: ["/app"]).isEmpty)
      unlink(file)
      rename(folder.path + "/kept", file)
      #expect(folder.servers(of: ["/app"]).count == 1)
      chmod(folder.path, 0o755)
      #expect(folder.servers(of: ["/app"]).isEmpty)
      #expect(throws: TextFile.Failure.self) { try folder.add(own()) }
      chmod(folder.path, 0o700)
      rename(folder.path, folder.path + "2")
      symlink("hearth2", folder.path)
      #expect(folder.servers(of: ["/app"]).isEmpty)
    }
  }

  @Test func `a folder of another user is not followed`() throws {
    guard geteuid() == 0 else { return }
    try withFolder { folder in
      try folder.add(own())
      chown(folder.path, 12_345, 12_345)
      #expect(folder.servers(of: ["/app"]).isEmpty)
      chown(folder.path, 0, 0)
      chown("\(folder.path)/dev-\(getpid()).json", 12_345, 12_345)
      #expect(folder.servers(of: ["/app"]).isEmpty)
    }
  }

  @Test func `the folder is that of the user's state`() {
    #expect(
      DevelopmentServerFolder { ["XDG_STATE_HOME": "/s", "HOME": "/home/a"][$0] }?.path == "/s/hearth")
    #expect(DevelopmentServerFolder { ["HOME": "/home/a"][$0] }?.path == "/home/a/.local/state/hearth")
    #expect(DevelopmentServerFolder { ["HOME": "relative"][$0] } == nil)
    #expect(DevelopmentServerFolder { _ in nil } == nil)
  }

  @Test func `the start is read behind a program's name with parentheses`() {
    let fields = (3...30).map { "\($0)" }.joined(separator: " ")
    #expect(ServerProcessID.startTicks("7 (a) b) " + fields) == 22)
    #expect(ServerProcessID.startTicks("7 (a") == nil)
  }
}
