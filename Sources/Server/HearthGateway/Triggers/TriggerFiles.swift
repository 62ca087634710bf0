import Glibc
import HearthSystem
import HearthTree
import HearthTriggers
import Logging

/// The triggers of a server, in one small file that is replaced as a whole; and beside it a file that identifies its
/// folder: a copy of the data folder has another identity, and sends no events until an administrator allows it. The
/// nodes of a cluster share the file, without such an identity.
///
/// Blocks for files: not for event loops.
struct TriggerFiles: Sendable {
  /// The maximum bytes of the file: all triggers with the longest patterns and URLs.
  private static let fileBytesMax = 16 << 20

  private static let registrations = "triggers.json"

  private let files: any SmallFileStore
  /// The file that identifies the folder; nil when nodes share the triggers.
  private let identityFile: AtomicFile?

  /// - Parameter folder: The folder of the triggers; nil when nodes share them.
  init(files: any SmallFileStore, folder: String?) {
    self.files = files
    self.identityFile = folder.map { AtomicFile(folder: $0, name: "home") }
  }

  /// The stored triggers, with the bytes that they were read from.
  struct Stored {
    var definitions: [TriggerDefinition] = []
    /// The number of replays of dead letters, of any trigger: other nodes read their queues again when it changes.
    var replayCount: Int64 = 0
    var bytes: [UInt8]?
  }

  /// Returns the stored triggers. None is dropped silently: an unreadable file is an error.
  func read() throws(RESTFailure) -> Stored {
    do throws(AtomicFile.Problem) {
      guard let bytes = try files.read(Self.registrations, bytesMax: Self.fileBytesMax) else { return Stored() }
      let json = JSON(parsing: bytes)
      guard let array = json?["triggers"]?.array else {
        throw AtomicFile.Problem("are damaged", cause: "the content is not valid")
      }
      var definitions: [TriggerDefinition] = []
      for json in array {
        do throws(TriggerProblem) { definitions.append(try TriggerDefinition(json)) } catch {
          throw AtomicFile.Problem("are damaged", cause: error.description)
        }
      }
      return Stored(definitions: definitions, replayCount: json?["replays"]?.int ?? 0, bytes: bytes)
    } catch {
      throw RESTFailure(500, "The triggers \(error.what): \(error.cause)")
    }
  }

  /// Stores the triggers, durably.
  ///
  /// - Parameter stored: the former triggers.
  /// - Returns: the stored triggers; nil when another node has changed them, and no file was written.
  func write(_ changed: Stored, over stored: Stored) throws(RESTFailure) -> Stored? {
    do throws(AtomicFile.Problem) {
      var json: JSON = ["triggers": .array(changed.definitions.map(\.stored))]
      if changed.replayCount > 0 { json["replays"] = .int(changed.replayCount) }
      let text = json.text()
      guard try files.write(text, to: Self.registrations, over: stored.bytes) else { return nil }
      if !isOriginalFolder { try adoptFolder() }
      return Stored(definitions: changed.definitions, replayCount: changed.replayCount, bytes: text)
    } catch {
      throw RESTFailure(error.isNoSpace ? 507 : 500, "The triggers \(error.what).")
    }
  }

  /// True when other nodes of a cluster use them, too.
  var isShared: Bool { identityFile == nil }

  /// True when the folder is the one that the triggers were registered in, and no copy of it.
  var isOriginalFolder: Bool {
    guard let identityFile else { return true }
    guard let bytes = try? identityFile.read(bytesMax: 64), let number = Self.number(of: identityFile.path) else {
      return false
    }
    return bytes.elementsEqual("\(number)".utf8)
  }

  /// Writes the identity of this folder. The file holds its own inode number, which a copy of the folder does not have.
  private func adoptFolder() throws(AtomicFile.Problem) {
    guard let identityFile else { return }
    guard identityFile.remove() else { throw AtomicFile.Problem("cannot be written") }
    try identityFile.write([])
    guard let number = Self.number(of: identityFile.path) else { throw AtomicFile.Problem("cannot be written") }
    let descriptor = open(identityFile.path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw AtomicFile.Problem("cannot be written") }
    defer { close(descriptor) }
    let text = Array("\(number)".utf8)
    let count = text.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count == text.count, fsync(descriptor) == 0 else { throw AtomicFile.Problem("cannot be written") }
  }

  private static func number(of path: String) -> UInt64? {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }
}
