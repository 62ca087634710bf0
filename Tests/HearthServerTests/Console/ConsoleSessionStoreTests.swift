import Foundation
import HearthCrypto
import HearthEngine
import Logging
import ServerTestKit
import Testing

@testable import HearthConsole
@testable import HearthServer

/// Tests of the file of console sessions.
@Suite struct ConsoleSessionStoreTests {
  private static let authority = "127.0.0.1:9000"
  private static let credential = ConsoleSessionStore.operatorCredential("token", isEmulator: false)

  /// A server's console over a folder, until the next one is made.
  private struct Process {
    let access = ConsoleAccess()
    let store: ConsoleSessionStore

    init(_ folder: TemporaryFolder, credential: Digest = credential) {
      store = ConsoleSessionStore(
        folder: folder.path, access: access, operatorCredential: credential,
        clock: { Instant(wallMilliseconds: 1_700_000_000_000, monotonicMilliseconds: 0) },
        logger: Logger(label: "test") { _ in LogRecorder() })
      store.restore { _ in true }
    }

    func open(_ name: String = "kim") throws -> (session: ConsoleSession, secrets: ConsoleSecrets) {
      try access.open(.viewer, name: name, at: authority, now: 0)
    }

    func has(_ secrets: ConsoleSecrets) -> Bool {
      access.session(cookie: secrets.cookie, token: secrets.token, at: authority, now: 0, isUse: false) != nil
    }
  }

  private static func path(_ folder: TemporaryFolder) -> String { "\(folder.path)/\(ConsoleSessionStore.fileName)" }

  private static func text(_ folder: TemporaryFolder) throws -> String {
    try String(contentsOfFile: path(folder), encoding: .utf8)
  }

  @Test("a folder of an earlier version opens, and has no file until there is a session")
  func firstSession() async throws {
    let folder = try TemporaryFolder()
    let process = Process(folder)
    await process.store.close()
    #expect(!FileManager.default.fileExists(atPath: Self.path(folder)))
    _ = try process.open()
    await process.store.save()
    let mode = try FileManager.default.attributesOfItem(atPath: Self.path(folder))[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("an opened session continues and an ended one does not, without a clean stop")
  func killed() async throws {
    let folder = try TemporaryFolder()
    let first = Process(folder)
    let (_, kept) = try first.open()
    let (ended, endedSecrets) = try first.open()
    await first.store.save()
    first.access.end(ended.id)
    await first.store.save()
    let second = Process(folder)
    #expect(second.has(kept) && !second.has(endedSecrets))
    #expect(second.store !== first.store)
  }

  @Test("sessions that are not restored leave the file at the start")
  func dropped() async throws {
    let folder = try TemporaryFolder()
    let first = Process(folder)
    let (_, secrets) = try first.open("kim")
    await first.store.save()
    #expect(try Self.text(folder).contains("kim"))
    let rotated = Process(folder, credential: ConsoleSessionStore.operatorCredential("another", isEmulator: false))
    #expect(!rotated.has(secrets))
    #expect(try !Self.text(folder).contains("kim"))
    #expect(!Process(folder).has(secrets), "also with the former credential")
  }

  @Test("an emulator's sessions do not continue on a server that is none")
  func emulator() {
    #expect(Self.credential != ConsoleSessionStore.operatorCredential("token", isEmulator: true))
  }

  @Test("a damaged file, one that is too long and a folder in its place open nothing, and a session opens")
  func damaged() async throws {
    let folder = try TemporaryFolder()
    for text in ["{", String(repeating: " ", count: ConsoleSessionStore.fileBytesMax + 70_000)] {
      try text.write(toFile: Self.path(folder), atomically: false, encoding: .utf8)
      let process = Process(folder)
      let (_, secrets) = try process.open()
      await process.store.save()
      #expect(Process(folder).has(secrets))
    }
    try FileManager.default.removeItem(atPath: Self.path(folder))
    try FileManager.default.createDirectory(atPath: Self.path(folder), withIntermediateDirectories: false)
    let process = Process(folder)
    let (_, secrets) = try process.open()
    await process.store.save()
    #expect(process.has(secrets) && !Process(folder).has(secrets), "sessions are in memory alone")
  }

  @Test("when a session's end cannot be written, the file is removed")
  func unwritable() async throws {
    let folder = try TemporaryFolder()
    let first = Process(folder)
    let (session, secrets) = try first.open()
    await first.store.save()
    // The new file has no place, as on a full disk.
    try FileManager.default.createDirectory(
      atPath: Self.path(folder) + ".new/x", withIntermediateDirectories: true)
    first.access.end(session.id)
    await first.store.save()
    #expect(!FileManager.default.fileExists(atPath: Self.path(folder)))
    #expect(!Process(folder).has(secrets))
  }

  @Test("without a console the sessions of a folder end")
  func withoutConsole() async throws {
    let folder = try TemporaryFolder()
    let first = Process(folder)
    let (_, secrets) = try first.open()
    await first.store.save()
    ConsoleSessionStore.remove(from: folder.path)
    #expect(!Process(folder).has(secrets))
  }
}
