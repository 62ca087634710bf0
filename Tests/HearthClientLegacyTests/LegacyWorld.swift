import Dispatch
import Foundation
import HearthTestKit
import LiveServerKit
import ServerTestKit
import Synchronization
import Testing

@testable import HearthClientLegacy

/// One after another: the class's `goOffline` is everybody's.
@Suite(.serialized) enum LegacyTests {}

/// A server, and what version 2 makes of it.
struct LegacyWorld {
  let test: TestServer
  let ref: Firebase

  /// Settings are made once in a process.
  private static let folder = Result {
    let folder = try TemporaryFolder()
    let config = Firebase.defaultConfig()
    config.callbackQueue = DispatchQueue(label: "legacy.test")
    config.storageDirectory = URL(fileURLWithPath: folder.path)
    return folder
  }

  static func with(
    rules: String = #"{"rules":{".read":true,".write":true}}"#, _ body: (LegacyWorld) async throws -> Void
  ) async throws {
    _ = try folder.get()
    try await TestServer.with(rules: rules) { test in
      let world = LegacyWorld(test: test, ref: Firebase(url: "http://127.0.0.1:\(test.port)/?ns=default"))
      do { try await body(world) } catch {
        Firebase.goOffline()
        throw error
      }
      Firebase.goOffline()
    }
  }

  /// Another name of the same database: a client of its own.
  func another(_ path: String = "") -> Firebase { Firebase(url: "http://localhost:\(test.port)/\(path)?ns=default") }
}

/// Waits for a block's call.
func called<Value: Sendable>(_ work: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
  await withCheckedContinuation { continuation in work { continuation.resume(returning: $0) } }
}

/// What a block was called with.
final class Calls<Value: Sendable>: Sendable {
  private let calls = Mutex<[Value]>([])

  var all: [Value] { calls.withLock { $0 } }

  func add(_ value: Value) { calls.withLock { $0.append(value) } }

  func wait(for count: Int) async throws { try #require(try await Patience.until { all.count >= count }) }
}
