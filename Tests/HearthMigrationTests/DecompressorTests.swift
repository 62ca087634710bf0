import CZlib
import CZstd
import Foundation
import HearthMigration
import RandomTestKit
import Testing

@Suite struct DecompressorTests {
  /// A compression with its compressor.
  enum Form: CaseIterable, CustomTestStringConvertible {
    case gzip, zstandard

    var testDescription: String { self == .gzip ? "gzip" : "zstandard" }

    func compress(_ content: [UInt8]) -> [UInt8] {
      switch self {
      case .gzip:
        var stream = z_stream()
        _ = deflateInit2_(
          &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        var content = content
        var output = [UInt8](repeating: 0, count: content.count + content.count / 10 + 100)
        let size = content.withUnsafeMutableBufferPointer { content in
          output.withUnsafeMutableBufferPointer { output in
            (stream.next_in, stream.avail_in) = (content.baseAddress, UInt32(content.count))
            (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
            _ = deflate(&stream, Z_FINISH)
            return output.count - Int(stream.avail_out)
          }
        }
        deflateEnd(&stream)
        return Array(output[..<size])
      case .zstandard:
        guard let context = ZSTD_createCCtx() else { return [] }
        defer { ZSTD_freeCCtx(context) }
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(content.count))
        let size = ZSTD_compress2(context, &output, output.count, content, content.count)
        return Array(output[..<size])
      }
    }
  }

  private static let text = Array(
    (0..<400).map { #"{"user\#($0)":{"name":"Åsa","age":\#($0 * 7 % 91)}}"# }.joined().utf8)

  /// Returns the content of a file that arrives in pieces of a size.
  private func content(_ file: [UInt8], pieceBytes: Int) throws -> [UInt8] {
    let compression = try #require(Compression(start: file.prefix(Compression.magicBytes)))
    let decompressor = try Decompressor(compression)
    var content: [UInt8] = []
    for start in stride(from: 0, to: file.count, by: pieceBytes) {
      decompressor.append(file[start..<min(file.count, start + pieceBytes)])
      while let piece = try decompressor.next() { content += piece }
    }
    try decompressor.finish()
    return content
  }

  @Test(arguments: Form.allCases) func `a file in pieces of any size has the same content`(form: Form) throws {
    let file = form.compress(Self.text)
    for size in [1, 2, 3, 7, 64, 1_000, file.count] { #expect(try content(file, pieceBytes: size) == Self.text) }
  }

  @Test(arguments: Form.allCases) func `members and frames are read one after the other`(form: Form) throws {
    let file = form.compress(Self.text) + form.compress([]) + form.compress(Array("end".utf8))
    for size in [1, 5, file.count] { #expect(try content(file, pieceBytes: size) == Self.text + Array("end".utf8)) }
  }

  @Test(arguments: Form.allCases) func `content larger than one piece of output is complete`(form: Form) throws {
    var random = SeededRandom(seed: 3)
    let text = (0..<700_000).map { _ in UInt8.random(in: 32...126, using: &random) }
    #expect(try content(form.compress(text), pieceBytes: 1 << 18) == text)
  }

  @Test(arguments: Form.allCases) func `a file that is cut anywhere is incomplete`(form: Form) throws {
    let file = form.compress(Array(Self.text.prefix(2_000)))
    for end in stride(from: Compression.magicBytes, to: file.count, by: 7) {
      #expect(throws: Decompressor.Failure.incomplete) { try content(Array(file[..<end]), pieceBytes: 50) }
    }
  }

  @Test(arguments: Form.allCases) func `a flipped bit in the content or checksum is found`(form: Form) throws {
    let file = form.compress(Self.text)
    for place in stride(from: 20, to: file.count, by: 11) {
      var damaged = file
      damaged[place] ^= 0x10
      let result = Result { try content(damaged, pieceBytes: 100) }
      switch result {
      case .failure: break
      case .success(let text): Issue.record("byte \(place) of \(form.testDescription): \(text.count) bytes were read")
      }
    }
  }

  @Test func `zeros after the last gzip member are padding, and other bytes are damage`() throws {
    let file = Form.gzip.compress(Self.text)
    for size in [1, 600, file.count + 600] {
      #expect(try content(file + [UInt8](repeating: 0, count: 512), pieceBytes: size) == Self.text)
      #expect(throws: Decompressor.Failure.self) { try content(file + [0, 0, 1], pieceBytes: size) }
      #expect(throws: Decompressor.Failure.self) { try content(file + Array("more text".utf8), pieceBytes: size) }
    }
  }

  @Test(arguments: Form.allCases) func `a file that expands without end is refused early`(form: Form) throws {
    let bomb = form.compress([UInt8](repeating: UInt8(ascii: " "), count: Decompressor.uncheckedBytesMax + (1 << 20)))
    let decompressor = try Decompressor(try #require(Compression(start: bomb)))
    var count = 0
    #expect(throws: Decompressor.Failure.expandsTooMuch) {
      for start in stride(from: 0, to: bomb.count, by: 1 << 10) {
        decompressor.append(bomb[start..<min(bomb.count, start + 1 << 10)])
        while let piece = try decompressor.next() { count += piece.count }
      }
    }
    #expect(count <= Decompressor.uncheckedBytesMax)
  }

  @Test(arguments: Form.allCases) func `random bytes behind the magic number end in an error or in content`(form: Form)
  {
    var random = SeededRandom(seed: 11)
    let start = Array(form.compress(Self.text).prefix(24))
    for _ in 0..<2_000 {
      let kept = Int.random(in: 4...24, using: &random)
      let file =
        start.prefix(kept)
        + (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = try? content(Array(file), pieceBytes: Int.random(in: 1...400, using: &random))
    }
  }

  @Test func `a compressed file is read like a plain one, without its byte order mark`() throws {
    let folder = URL.temporaryDirectory.appending(path: "hearth-input-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = Array("{\"a\":1}".utf8)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for file in [
      text, mark + text, Form.gzip.compress(mark + text), Form.zstandard.compress(text), Form.gzip.compress(text),
    ] {
      let path = folder.appending(path: "file").path
      try Data(file).write(to: URL(filePath: path))
      let input = try FileInput(path: path)
      var content: [UInt8] = []
      while let piece = try input.next() { content += piece }
      #expect(content == text)
      #expect(input.readBytes == file.count && input.sizeBytes == file.count)
    }
  }

  @Test func `the name of a compressed file without the ending shows the format`() {
    #expect(Compression.plainName("Users.CSV.GZ") == "Users.CSV")
    #expect(Compression.plainName("data.json.zst") == "data.json")
    #expect(Compression.plainName("data.json") == "data.json")
    #expect(Compression(start: [0x1F]) == nil && Compression(start: Array("{\"a\"".utf8)) == nil)
  }
}
