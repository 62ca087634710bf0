import Foundation
import HearthTestKit
import LiveServerKit
import ServerTestKit
import Testing

@testable import HearthClientLegacy

extension LegacyTests {
  /// Tests of settings, which apply once in a process: each test starts its own processes.
  @Suite struct LegacyConfigTests {
    /// The two ways to store data on disk.
    enum Way: String, CaseIterable, Codable, Sendable { case config, option }

    private static func start(_ way: Way, _ folder: String, _ url: String) -> Firebase {
      let config = Firebase.defaultConfig()
      config.storageDirectory = URL(fileURLWithPath: folder)
      config.persistenceCacheSizeBytes = 2 << 20
      let queue = DispatchQueue(label: "legacy.config")
      switch way {
      case .config:
        config.persistenceEnabled = true
        config.callbackQueue = queue
      case .option:
        Firebase.setOption("persistence", to: true)
        Firebase.setDispatchQueue(queue)
      }
      guard config.persistenceEnabled, config.callbackQueue === queue, config.persistenceCacheSizeBytes == 2 << 20
      else {
        fatalError("the settings are not what was set")
      }
      return Firebase(url: url)
    }

    @Test(
      "data is persisted as configured, and pending writes are sent at the next start", arguments: Way.allCases)
    func persistence(way: Way) async throws {
      let folder = try TemporaryFolder()
      try await LegacyFixture.with { fixture async throws in
        await #expect(processExitsWith: .success) {
          [way = way as Way, path = folder.path as String, url = fixture.ref.description as String] in
          let ref = LegacyConfigTests.start(way, path, url)
          ref.app.goOffline()
          ref.childByAppendingPath("n").setValue("kept")
          let value: String = await called { done in
            ref.childByAppendingPath("n").observeSingleEventOfType(.value, withBlock: { done("\($0.value ?? "")") })
          }
          exit(value == "kept" ? 0 : 1)
        }
        #expect(try await fixture.stored("n") == "null")
        await #expect(processExitsWith: .success) {
          [way = way as Way, path = folder.path as String, url = fixture.ref.description as String] in
          let ref = LegacyConfigTests.start(way, path, url)
          let code: Int = await called { done in
            ref.childByAppendingPath("last").setValue(1, withCompletionBlock: { error, _ in done(error?.code ?? 0) })
          }
          exit(code == 0 ? 0 : 1)
        }
        #expect(try await fixture.stored("n") == #""kept""#)
      }
    }

    @Test("a setting after the first reference ends the program", arguments: Way.allCases)
    func frozen(way: Way) async {
      await #expect(processExitsWith: .failure) { [way = way as Way] in
        _ = Firebase(url: "http://127.0.0.1:1/?ns=x")
        switch way {
        case .config: Firebase.defaultConfig().persistenceEnabled = true
        case .option: Firebase.setOption("persistence", to: true)
        }
      }
    }
  }
}
