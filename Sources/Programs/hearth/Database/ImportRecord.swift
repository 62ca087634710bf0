import Glibc
import HearthCrypto
import HearthProgram
import HearthSystem
import HearthTree

/// The progress of an import: the number of answered requests, and a hash over their content, which shows whether the
/// file was changed since. The same file is always split into the same requests.
struct ImportState: Equatable {
  /// The database and path.
  var target: String
  var requestCount = 0
  /// The SHA-256 over the previous hash and the request: of all requests so far, in order.
  var digest = Digest(sha256: [])
  /// The bytes of the file read so far, for progress messages.
  var offsetBytes = 0

  init(target: String) { self.target = target }

  /// Returns the state after one more request.
  func after(_ request: ImportRequest, offsetBytes: Int) -> ImportState {
    var state = self
    state.requestCount += 1
    state.digest = Digest(sha256: digest.bytes + Array(request.path.location.description.utf8) + [0] + request.body)
    state.offsetBytes = offsetBytes
    return state
  }
}

/// The file beside an import's input that holds its state:
///
/// ```json
/// {"target":"default /rooms","requests":12,"digest":"9f86…","offset":50331648}
/// ```
struct ImportRecord {
  let path: String

  /// Reads the record; nil when the file is missing.
  func read() throws -> ImportState? {
    guard FileVersion(of: path) != nil else { return nil }
    guard let json = JSON(parsing: try TextFile.read(path).utf8), let target = json["target"]?.string,
      let count = json["requests"]?.int.flatMap({ Int(exactly: $0) }), count >= 0,
      let digest = json["digest"]?.string.flatMap({ Digest(hex: $0) })
    else { throw AdminFailure("\(path) is not the record of an import; remove it, then import with --force") }
    var state = ImportState(target: target)
    state.requestCount = count
    state.digest = digest
    state.offsetBytes = json["offset"]?.int.flatMap { Int(exactly: $0) } ?? 0
    return state
  }

  func write(_ state: ImportState) throws {
    let json: JSON = [
      "target": .string(state.target), "requests": .int(Int64(state.requestCount)), "digest": .string(state.digest.hex),
      "offset": .int(Int64(state.offsetBytes)),
    ]
    try TextFile.replace(path, json.text() + [UInt8(ascii: "\n")], mode: 0o600)
  }

  func remove() { unlink(path) }
}
