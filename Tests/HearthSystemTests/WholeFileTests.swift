import Foundation
import Testing

@testable import HearthSystem

@Suite struct WholeFileTests {
  @Test(
    "A path is a name in a folder",
    arguments: [("a", ".", "a"), ("/a", "/", "a"), ("a/b", "a", "b"), ("/a/b.c", "/a", "b.c"), ("./a", ".", "a")])
  func paths(path: String, folder: String, name: String) {
    let file = WholeFile(path: path)
    #expect(file.folder == folder && file.name == name)
    #expect(WholeFile.parent(of: path) == folder)
  }

  @Test("A folder is made with those above it, and not where none can be")
  func folders() {
    let folder = FileManager.default.temporaryDirectory.path + "/hearth-files-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(WholeFile.makeFolder(folder + "/a/b/") && WholeFile.makeFolder(folder + "/a"))
    #expect(!WholeFile.makeFolder("") && !WholeFile.makeFolder("/proc/none/none"))
  }

  @Test("A file is written into folders that are made for it, listed, and removed, as often as one likes")
  func life() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/hearth-files-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = WholeFile(folder: folder + "/below", name: "file")
    #expect(try WholeFile.names(in: file.folder).isEmpty, "there is no such folder")
    #expect(file.remove(), "without its folder there is no file")
    try file.write([1, 2])
    #expect(try WholeFile.names(in: file.folder) == ["file"])
    #expect(try file.read(bytesMax: 2) == [1, 2])
    #expect(file.remove() && file.remove())
    #expect(try WholeFile.names(in: file.folder).isEmpty && file.read(bytesMax: 2) == nil)
    #expect(WholeFile.synchronize(folder: file.folder) && !WholeFile.synchronize(folder: file.path))
  }
}
