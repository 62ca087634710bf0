import Foundation
import HearthCrypto
import ServerTestKit
import Testing

@testable import HearthServer

@Suite struct FirstStartTests {
  @Test("a server that is stopped as soon as it has started leaves all its keys, which it was still making")
  func stoppedAtOnce() async throws {
    let test = try await TestServer(configure: { options in
      try? FileManager.default.removeItem(atPath: options.dataDirectory + "/keys")
    })
    await test.server.stop()
    let left = try KeyStore(directory: test.directory + "/keys", createsMissing: false)
    let again = try await TestServer(in: test)
    let ring = try #require(again.server.parts).services.accounts.own.keys
    for kind in KeyKind.allCases {
      let keyIDs = try left.keys(kind).keyIDs
      #expect(keyIDs.count == 1 && ring.list(kind).map(\.kid) == keyIDs)
    }
    await again.server.stop()
  }
}
