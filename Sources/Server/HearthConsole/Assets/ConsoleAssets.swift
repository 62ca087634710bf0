import CZlib
import HearthBytes
import HearthCrypto

/// The page that the program was built with. The build writes the list ``files``: see `bundle.py`.
package struct ConsoleAssets: Sendable {
  /// A file as it is embedded in the program.
  struct Embedded: Sendable {
    let name: String
    let contentType: String
    /// The size of the uncompressed content, in bytes.
    let sizeBytes: Int
    /// Base64 with the URL alphabet, of the file compressed with gzip.
    let text: StaticString
  }

  /// The files by name.
  private let assets: [String: (asset: ConsoleAsset, sizeBytes: Int)]

  /// The files that the program was built with.
  package static let all = ConsoleAssets(files)

  /// The name of the page's document.
  package static let indexName = "index.html"

  init(_ files: [Embedded]) {
    var assets: [String: (ConsoleAsset, Int)] = [:]
    for file in files {
      let bytes = file.text.withUTF8Buffer { Base64URL.decode($0) }
      // because the build wrote it
      guard let bytes else { preconditionFailure("\(file.name) is not as the build wrote it") }
      assets[file.name] = (
        ConsoleAsset(
          name: file.name, contentType: file.contentType, isImmutable: file.name != Self.indexName, compressed: bytes),
        file.sizeBytes
      )
    }
    self.assets = assets
  }

  /// The names of all of them, in order.
  package var names: [String] { assets.keys.sorted() }

  /// A file by its name; nil when there is none.
  package subscript(name: String) -> ConsoleAsset? { assets[name]?.asset }

  /// Returns a file uncompressed, for a client that does not accept gzip.
  package func plain(_ name: String) -> [UInt8]? {
    guard let (asset, sizeBytes) = assets[name] else { return nil }
    return Self.inflate(asset.compressed, sizeBytes: sizeBytes)
  }

  /// Returns the decompressed content; nil when it is incomplete, or of another size.
  private static func inflate(_ compressed: [UInt8], sizeBytes: Int) -> [UInt8]? {
    var compressed = compressed
    return compressed.withUnsafeMutableBufferPointer { input in
      var isWhole = false
      let output = [UInt8](unsafeUninitializedCapacity: sizeBytes) { buffer, count in
        var stream = z_stream()
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = buffer.baseAddress
        stream.avail_out = UInt32(sizeBytes)
        // A window of 15 bits, and 16 for gzip's head.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return }
        isWhole = CZlib.inflate(&stream, Z_FINISH) == Z_STREAM_END
        count = sizeBytes - Int(stream.avail_out)
        inflateEnd(&stream)
      }
      return isWhole && output.count == sizeBytes ? output : nil
    }
  }
}
