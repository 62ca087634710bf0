import HearthProgram
import HearthTree

/// The comparison of an imported file with the data that the server has at its end.
struct ImportVerification {
  /// The values of the file could not be compared.
  static let impossible = ImportVerification(isEqual: nil, checksum: "", fileCount: 0, storedCount: 0)

  /// True when the data is that of the file; nil when they cannot be compared.
  var isEqual: Bool?
  /// The checksum of the stored data.
  var checksum: String
  /// The number of values in the file.
  var fileCount: Int64
  /// The number of values at the path.
  var storedCount: Int64

  /// The reason why the data is not known to be that of the file, after "the data at PATH".
  var difference: String? {
    switch isEqual {
    case true?: nil
    case false?:
      "differs from the file: it has \(NumberFormat.counted(Int(clamping: storedCount), "value")), the file "
        + "\(NumberFormat.grouped(Double(fileCount))). Another client wrote there during the import, or an object of the "
        + "file has a name twice: hearth migrate firebase --check FILE lists these"
    case nil: "was not verified: the server computes some of its values (.sv)"
    }
  }

  var json: JSON {
    guard let isEqual else { return ["verified": .null] }
    return ["verified": .bool(isEqual), "values": .int(storedCount), "checksum": .string(checksum)]
  }
}

extension DatabaseClient {
  /// The longest time without a byte of the response: the server reads all data at the path before it answers.
  private static let checksumSecondsMax: Int64 = 3_600

  /// Compares a file's data with the data at a path.
  ///
  /// - Parameter checksum: The file's; nil when it cannot be compared.
  func verification(of checksum: DataChecksum?, at path: DataPath) async throws -> ImportVerification {
    guard let checksum else { return .impossible }
    let text = try await stream(path, [("format", "checksum")], silenceSecondsMax: Self.checksumSecondsMax) {
      try await $0.collect(bytesMax: 1 << 10)
    }
    guard let answer = JSON(parsing: text), let stored = answer["checksum"]?.string,
      let count = answer["values"]?.int
    else { throw AdminFailure("\(place) did not answer with a checksum") }
    return ImportVerification(
      isEqual: stored == checksum.description && count == Int64(checksum.count), checksum: stored,
      fileCount: Int64(checksum.count), storedCount: count)
  }
}
