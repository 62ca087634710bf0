import Glibc
import HearthTree
import Logging
import Synchronization

/// An appender of receipts to ``ReceiptFile``. On a full disk the receipts' lines are lost, without other effects.
package final class ReceiptArchive: Sendable {
  /// The reason why the file cannot be used, in words for the operator.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  private struct State {
    var descriptor: Int32
    var sizeBytes: Int
    var isFailing = false
  }

  private let dataDirectory: String
  private let logger: Logger
  private let state: Mutex<State>

  /// Opens the file, and ends a line that a crash left unfinished.
  package init(dataDirectory: String, logger: Logger) throws(Failure) {
    self.dataDirectory = dataDirectory
    self.logger = logger
    state = Mutex(try Self.open(dataDirectory))
  }

  /// Returns the newest receipts of the files, for the ring.
  func tail(limits: ReceiptLimits) -> [ReceiptRing.Entry] {
    ReceiptFile.lines(dataDirectory: dataDirectory, sizeBytesMax: limits.tailBytes).compactMap { line in
      guard let json = JSON(parsing: line), let id = json["id"]?.int, id > 0 else { return nil }
      return ReceiptRing.Entry(
        id: UInt64(id), database: json["database"]?.string,
        revocation: (json["revocation"]?["number"]?.int).map(UInt64.init(clamping:)), line: Array(line))
    }
  }

  func append(_ line: [UInt8], limits: ReceiptLimits) {
    let problem = state.withLock { state -> String? in
      if state.sizeBytes > 0, state.sizeBytes + line.count > limits.fileBytesMax { rotate(&state) }
      let text = line + [UInt8(ascii: "\n")]
      let count = state.descriptor < 0 ? -1 : write(state.descriptor, text, text.count)
      defer { state.isFailing = count != text.count }
      if count == text.count {
        state.sizeBytes += count
        return nil
      }
      // A partial line would corrupt the next one.
      if count > 0 { _ = ftruncate(state.descriptor, off_t(state.sizeBytes)) }
      return state.isFailing ? nil : String(cString: strerror(errno))
    }
    if let problem {
      logger.error("receipts cannot be written to the disk and stay in memory only", metadata: ["error": "\(problem)"])
    }
  }

  /// Syncs the appended lines to the disk.
  func sync() {
    state.withLock { state in
      if state.descriptor >= 0 { _ = fdatasync(state.descriptor) }
    }
  }

  func close() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      _ = fdatasync(state.descriptor)
      Glibc.close(state.descriptor)
      state.descriptor = -1
    }
  }

  /// Renames the file to the previous one, and begins a new one.
  private func rotate(_ state: inout State) {
    guard
      rename(dataDirectory + "/" + ReceiptFile.name, dataDirectory + "/" + ReceiptFile.previousName) == 0,
      let next = try? Self.open(dataDirectory)
    else { return }
    _ = fdatasync(state.descriptor)
    Glibc.close(state.descriptor)
    (state.descriptor, state.sizeBytes) = (next.descriptor, next.sizeBytes)
  }

  private static func open(_ dataDirectory: String) throws(Failure) -> State {
    let path = dataDirectory + "/" + ReceiptFile.name
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw Failure(description: "cannot open \(path): \(String(cString: strerror(errno)))")
    }
    var size = Int(lseek(descriptor, 0, SEEK_END))
    var last: UInt8 = UInt8(ascii: "\n")
    if size > 0, pread(descriptor, &last, 1, off_t(size - 1)) == 1, last != UInt8(ascii: "\n") {
      if write(descriptor, "\n", 1) == 1 { size += 1 }
    }
    return State(descriptor: descriptor, sizeBytes: max(0, size))
  }
}
