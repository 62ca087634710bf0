import HearthMigration

/// The decompressed bytes of a file one after the other, one piece in memory at a time.
final class BufferedFile {
  private let input: FileInput
  private var piece: ArraySlice<UInt8> = []

  /// - Parameter path: The path of a file; `-` for standard input.
  init(path: String) throws { input = try FileInput(path: path) }

  func next() throws -> UInt8? {
    guard let byte = try peek() else { return nil }
    piece = piece.dropFirst()
    return byte
  }

  func peek() throws -> UInt8? {
    if piece.isEmpty {
      // The input reuses the memory of the last piece when nothing refers to it.
      piece = []
      piece = try input.next() ?? []
    }
    return piece.first
  }
}
