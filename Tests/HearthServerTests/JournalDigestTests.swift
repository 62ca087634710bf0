import HearthTestKit
import LiveServerKit
import ServerTestKit
import Testing

@testable import HearthServer

/// Tests of the digest by which copied journals are compared.
@Suite struct JournalDigestTests {
  private static let rules = #"{"rules": {".read": true, ".write": true}}"#

  private static func digest(_ name: String, in folder: String) throws -> JournalDigest {
    let place = try #require(try DataFolderJournals.entries(in: folder).first { $0.name == name })
    let view = try place.archive.view(place.name)
    defer { view.close() }
    return try JournalDigest(view)
  }

  @Test("a copy has the digest of its source, and another state has another digest")
  func copies() async throws {
    let test = try await TestServer(rules: Self.rules)
    #expect(try test.answer("PUT", "/a.json", #"{".priority": 3, "b": [1, 2.5, "é"]}"#).hasPrefix("200"))
    await test.server.stop()
    let first = try Self.digest("databases/default", in: test.directory)
    #expect(first.position > 0 && first.waitingCount == 0 && first.deadCount == 0)

    let folder = try TemporaryFolder()
    for place in try DataFolderJournals.entries(in: test.directory) {
      let (view, copies) = (try place.archive.view(place.name), ServerJournals.archive(in: folder.path))
      defer { view.close() }
      let name = String(place.name.split(separator: "/").last ?? "")
      try JournalCopy.run(view, into: copies.restoration(name))
      let copy = try copies.view(name)
      defer { copy.close() }
      #expect(try JournalDigest(copy) == JournalDigest(view), "\(place.name)")
    }

    let again = try await TestServer(rules: Self.rules, in: test)
    await again.server.stop()
    // A start alone changes nothing.
    #expect(try Self.digest("databases/default", in: test.directory) == first)
    let next = try await TestServer(rules: Self.rules, in: test)
    #expect(try next.answer("PUT", "/a/b/2.json", #""e""#).hasPrefix("200"))
    await next.server.stop()
    let second = try Self.digest("databases/default", in: test.directory)
    #expect(second.position == first.position + 1 && second.state != first.state)
    #expect(second.runningHash != first.runningHash && second.events == first.events)
  }
}
