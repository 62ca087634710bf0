import Glibc
import HearthCrypto
import HearthProgram
import HearthSystem
import HearthTree

/// The progress of an import: the requests that were answered, and a hash over what they wrote, which shows whether the
/// file was changed since. The same file is always cut into the same requests.
struct ImportState: Equatable {
  /// Database and path.
  var target: String
  var requestCount = 0
  /// SHA-256 over the hash before and the request: of all requests so far, in order.
  var digest = Digest(sha256: [])
  /// How much of the file had been read, for people.
  var offsetBytes = 0

  init(target: String) { self.target = target }

  /// The state after one more request.
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

  /// Nil when there is no such file.
  func read() throws -> ImportState? {
    guard FileVersion(of: path) != nil else { return nil }
    guard let json = JSON(parsing: try TextFile.read(path).utf8), let target = json["target"]?.string,
      let count = json["requests"]?.int.flatMap({ Int(exactly: $0) }), count >= 0,
      let digest = json["digest"]?.string.flatMap({ Digest(hex: $0) })
    else { throw AdminFailure("\(path) is not the record of an import; remove it, and import with --force") }
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
