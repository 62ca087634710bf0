import Glibc
import HearthCrypto
import HearthSystem
import Logging
import Synchronization

/// The token that may read metrics and has no other access: the first line of a file that the operator keeps. A changed
/// file is in force within a second; without the file there is no token.
final class MetricsToken: Sendable {
  /// The minimum length: a shorter token could be guessed. `openssl rand -hex 32` makes one of 64 characters.
  static let charactersMin = 32
  /// The maximum size of the file in bytes: a line, perhaps with others behind it.
  static let fileBytesMax = 4_096
  /// The time for which the file's content is cached, so that requests of strangers do not read it each time.
  static let cacheNanoseconds: UInt64 = 1_000_000_000

  /// The reason why there is no token, for the operator.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private struct State {
    var version: FileVersion?
    /// The digest of the token; nil when there is none. Digests have equal lengths for any input.
    var digest: Digest?
    var checkedNanoseconds: UInt64
  }

  private let path: String
  private let logger: Logger
  private let clock: @Sendable () -> UInt64
  private let state: Mutex<State>

  /// Reads the file.
  ///
  /// - Parameter clock: nanoseconds on the monotonic clock.
  /// - Throws: when it contains no valid token.
  init(
    path: String, logger: Logger, clock: @escaping @Sendable () -> UInt64 = { Clock.monotonicNanoseconds }
  ) throws(Problem) {
    let version = FileVersion(of: path)
    let digest = try Self.read(path)
    (self.path, self.logger, self.clock) = (path, logger, clock)
    state = Mutex(State(version: version, digest: digest, checkedNanoseconds: clock()))
    warnOfReaders()
  }

  /// Returns true when a text is the token. Takes the same time for any text.
  func admits(_ shown: String) -> Bool {
    let shownDigest = Digest(sha256: shown.utf8)
    return state.withLock { state in
      check(&state)
      return state.digest.map { ConstantTime.equal($0.bytes, shownDigest.bytes) } ?? false
    }
  }

  private func check(_ state: inout State) {
    let now = clock()
    guard now &- state.checkedNanoseconds >= Self.cacheNanoseconds else { return }
    state.checkedNanoseconds = now
    let version = FileVersion(of: path)
    guard version != state.version else { return }
    state.version = version
    do throws(Problem) {
      state.digest = try Self.read(path)
      logger.notice("the metrics token was reloaded")
      warnOfReaders()
    } catch {
      state.digest = nil
      logger.error("the metrics token is not in use", metadata: ["reason": "\(error)"])
    }
  }

  private func warnOfReaders() {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o004 != 0 else { return }
    logger.warning(
      "every user of this machine can read the metrics token; restrict the file's mode", metadata: ["file": "\(path)"])
  }

  private static func read(_ path: String) throws(Problem) -> Digest {
    // Links are followed: containers get secrets through them.
    guard let real = realpath(path, nil) else {
      throw Problem(description: "the metrics token cannot be read: \(path): \(String(cString: strerror(errno)))")
    }
    defer { free(real) }
    let bytes: [UInt8]
    do throws(AtomicFile.Problem) {
      bytes = try AtomicFile(path: String(cString: real)).read(bytesMax: fileBytesMax) ?? []
    } catch {
      throw Problem(description: "the metrics token \(error.what): \(path): \(error.cause)")
    }
    var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard line.count >= charactersMin, line.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Problem(
        description:
          "the first line of \(path) is not a token of at least \(charactersMin) visible characters. Create one with: "
          + "openssl rand -hex 32")
    }
    return Digest(sha256: line)
  }
}
