import Foundation
import Testing

/// Replays the corpora of `make fuzz`: inputs that fuzzers found interesting, and inputs that once caused a failure.
@Suite struct ReplayTests {
  @Test("any input of the corpus ends in a value or a refusal", arguments: Parser.all.map(\.name))
  func replay(name: String) throws {
    let parser = try #require(Parser.named(name))
    let folder = try #require(Bundle.module.url(forResource: "Corpora", withExtension: nil)).appending(path: name)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files {
      #expect(throws: Never.self, "\(file.lastPathComponent)") { try parser.read([UInt8](Data(contentsOf: file))) }
    }
  }

  @Test("every corpus belongs to a parser, and parsers have distinct names")
  func corpora() throws {
    let folder = try #require(Bundle.module.url(forResource: "Corpora", withExtension: nil))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(names) == Set(Parser.all.map(\.name)) && names.count == Parser.all.count)
  }
}
