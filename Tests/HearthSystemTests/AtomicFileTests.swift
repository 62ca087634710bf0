import Foundation
import Testing

@testable import HearthSystem

@Suite struct AtomicFileTests {
  @Test(
    "A path is split into folder and name",
    arguments: [("a", ".", "a"), ("/a", "/", "a"), ("a/b", "a", "b"), ("/a/b.c", "/a", "b.c"), ("./a", ".", "a")])
  func paths(path: String, folder: String, name: String) {
    let file = AtomicFile(path: path)
    #expect(file.folder == folder && file.name == name)
    #expect(AtomicFile.parent(of: path) == folder)
  }

  @Test("A folder is made with its parent folders, and not where none can be made")
  func folders() {
    let folder = FileManager.default.temporaryDirectory.path + "/hearth-files-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(AtomicFile.makeFolder(folder + "/a/b/") && AtomicFile.makeFolder(folder + "/a"))
    #expect(!AtomicFile.makeFolder("") && !AtomicFile.makeFolder("/proc/none/none"))
  }

  @Test("A file is written into folders that are made for it, listed, and removed, repeatedly")
  func life() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/hearth-files-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = AtomicFile(folder: folder + "/below", name: "file")
    #expect(try AtomicFile.names(in: file.folder).isEmpty, "there is no such folder")
    #expect(file.remove(), "without its folder there is no file")
    try file.write([1, 2])
    #expect(try AtomicFile.names(in: file.folder) == ["file"])
    #expect(try file.read(bytesMax: 2) == [1, 2])
    #expect(file.remove() && file.remove())
    #expect(try AtomicFile.names(in: file.folder).isEmpty && file.read(bytesMax: 2) == nil)
    #expect(AtomicFile.synchronize(folder: file.folder) && !AtomicFile.synchronize(folder: file.path))
  }
}
