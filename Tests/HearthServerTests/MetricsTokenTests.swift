import Foundation
import Logging
import ServerTestKit
import Synchronization
import Testing

@testable import HearthServer

/// Tests of the file with the token for reading metrics.
@Suite struct MetricsTokenTests {
  private static let first = String(repeating: "a1", count: 32)
  private static let second = String(repeating: "b2", count: 32)

  private static func write(_ text: String, to path: String) throws {
    // Written under another name and then renamed, so that the file is a new one.
    try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }

  private static func token(_ path: String, clock: @escaping @Sendable () -> UInt64 = { 0 }) throws -> MetricsToken {
    try MetricsToken(path: path, logger: Logger(label: "test") { _ in LogRecorder() }, clock: clock)
  }

  @Test("a replaced token file is in force a second later, and without the file no token is valid")
  func replaced() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/token"
    try Self.write(Self.first + "\r\n", to: path)
    let clock = ManualClock()
    let token = try Self.token(path, clock: { clock.nanoseconds })
    #expect(token.admits(Self.first) && !token.admits(Self.second) && !token.admits(""))
    try Self.write(Self.second, to: path)
    #expect(token.admits(Self.first), "it was looked at just now")
    clock.advance(MetricsToken.cacheNanoseconds)
    #expect(token.admits(Self.second) && !token.admits(Self.first))
    try FileManager.default.removeItem(atPath: path)
    clock.advance(MetricsToken.cacheNanoseconds)
    #expect(!token.admits(Self.second) && !token.admits(""))
    try Self.write(Self.first, to: path)
    clock.advance(MetricsToken.cacheNanoseconds)
    #expect(token.admits(Self.first))
  }

  @Test(
    "a file without a token prevents the start",
    arguments: [
      "", "\n", "short", String(repeating: "x", count: 31), String(repeating: "ä", count: 40),
      String(repeating: "x y", count: 20), String(repeating: "x", count: 4_097),
    ])
  func refused(text: String) throws {
    let folder = try TemporaryFolder()
    try Self.write(text, to: folder.path + "/token")
    #expect(throws: MetricsToken.Problem.self) { try Self.token(folder.path + "/token") }
    #expect(throws: MetricsToken.Problem.self) { try Self.token(folder.path + "/none") }
  }

  @Test("a symbolic link is followed")
  func linked() throws {
    let folder = try TemporaryFolder()
    try Self.write(Self.first, to: folder.path + "/real")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/token", withDestinationPath: folder.path + "/real")
    #expect(try Self.token(folder.path + "/token").admits(Self.first))
  }
}

/// A clock that the test advances.
private final class ManualClock: Sendable {
  private let state = Mutex<UInt64>(0)

  var nanoseconds: UInt64 { state.withLock { $0 } }

  func advance(_ nanoseconds: UInt64) { state.withLock { $0 += nanoseconds } }
}
