import Foundation
import Glibc
import Synchronization

/// A proxy between a server and its PostgreSQL, on its own socket, which cuts a connection after a number of bytes.
final class CutProxy: Sendable {
  enum Direction: Sendable { case toServer, toClient }

  private struct State {
    var cut: (direction: Direction, bytesLeft: Int)?
    var cutCount = 0
    var refusesAll = false
  }

  let folder: String
  private let target: String
  private let state = Mutex(State())
  /// True to show clients a wrong process ID of the server, as poolers do.
  private let hidesProcess: Bool

  init(_ target: String, hidesProcess: Bool = false) throws {
    (self.target, self.hidesProcess) = (target, hidesProcess)
    folder = NSTemporaryDirectory() + "hearth-cut-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let isBound = Self.withAddress(folder + "/.s.PGSQL.5432") { bind(listener, $0, $1) }
    guard isBound == 0, listen(listener, 64) == 0 else {
      throw ThrowawayPostgres.Failure(description: "cannot listen in \(folder)")
    }
    Thread.detachNewThread { [weak self] in
      while self != nil {
        var watched = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, 50) > 0 else { continue }
        let client = accept(listener, nil, nil)
        guard client >= 0 else { continue }
        guard let proxy = self else {
          _ = Glibc.close(client)
          break
        }
        guard !proxy.refusesAll else {
          _ = Glibc.close(client)
          continue
        }
        Thread.detachNewThread { proxy.serve(client) }
      }
      _ = Glibc.close(listener)
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  var url: String { "postgres://postgres@/postgres?host=\(folder)" }

  /// Cuts the connection that carries the last of `bytes` from now on; that byte does not pass.
  func cut(after bytes: Int, _ direction: Direction) { state.withLock { $0.cut = (direction, bytes) } }

  /// Ends cutting.
  func heal() { state.withLock { $0.cut = nil } }

  /// True when no connection is accepted.
  var refusesAll: Bool {
    get { state.withLock { $0.refusesAll } }
    set { state.withLock { $0.refusesAll = newValue } }
  }

  /// The number of cuts so far.
  var cutCount: Int { state.withLock { $0.cutCount } }

  private func serve(_ client: Int32) {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer {
      _ = Glibc.close(client)
      _ = Glibc.close(server)
    }
    guard Self.withAddress(target, { connect(server, $0, $1) }) == 0 else { return }
    while true {
      var watched = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&watched, 2, -1) > 0 else { continue }
      if watched[0].revents != 0, !pass(client, server, .toServer) { return }
      if watched[1].revents != 0, !pass(server, client, .toClient) { return }
    }
  }

  /// Forwards available bytes; returns false at the end of the connection.
  private func pass(_ from: Int32, _ to: Int32, _ direction: Direction) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(from, &bytes, bytes.count)
    guard count > 0 else { return false }
    if hidesProcess, direction == .toClient { hideProcess(&bytes, count) }
    let allowed = state.withLock { state -> Int in
      guard let cut = state.cut, cut.direction == direction else { return count }
      guard count > cut.bytesLeft else {
        state.cut?.bytesLeft -= count
        return count
      }
      state.cut = nil
      state.cutCount += 1
      return cut.bytesLeft
    }
    var start = 0
    while start < allowed {
      let written = bytes.withUnsafeBytes { send(to, $0.baseAddress! + start, allowed - start, Int32(MSG_NOSIGNAL)) }
      guard written > 0 else { return false }
      start += written
    }
    return allowed == count
  }

  /// Replaces the process ID in the message BackendKeyData: `K`, twelve bytes, the process, a secret.
  private func hideProcess(_ bytes: inout [UInt8], _ count: Int) {
    for i in 0..<max(0, count - 12) where Array(bytes[i..<i + 5]) == [0x4B, 0, 0, 0, 12] { bytes[i + 5] ^= 0x10 }
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
