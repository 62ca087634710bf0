import Foundation
import Testing

/// The page's sources.
@Suite struct PageTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/HearthConsole/Page")
  private static let compiler = "/usr/bin/tsc"

  @Test(
    "the types of the page agree", .enabled(if: FileManager.default.isExecutableFile(atPath: compiler)))
  func types() throws {
    let process = Process()
    process.executableURL = URL(filePath: Self.compiler)
    process.arguments = ["--noEmit", "--project", Self.folder.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: output, as: UTF8.self))")
  }

  @Test("text stays text: nothing in the page is made of strings of markup")
  func noMarkup() throws {
    let found = FileManager.default.enumerator(atPath: Self.folder.path)?.compactMap { $0 as? String } ?? []
    let sources = found.filter { $0.hasSuffix(".ts") || $0.hasSuffix(".tsx") }
    #expect(!sources.isEmpty)
    for path in sources {
      let text = try String(contentsOf: Self.folder.appending(path: path), encoding: .utf8)
      for word in [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "dangerouslySetInnerHTML", "document.write", "eval(",
      ] {
        #expect(!text.contains(word), "\(path): \(word)")
      }
    }
  }
}
