import NIOCore

/// The parts of a `multipart/form-data` body (RFC 7578), as slices of it.
struct MultipartForm {
  struct Part {
    /// True when `filename` was given.
    var isFile: Bool
    var content: ByteBuffer
  }

  let parts: [Part]

  /// The maximum number of parts: more than any supported form has.
  private static let partsMax = 16
  /// The maximum bytes of the headers of one part.
  private static let headBytesMax = 16 << 10
  /// The maximum bytes of a boundary (RFC 2046).
  private static let boundaryBytesMax = 70

  /// Parses a body; nil when it is not such a form, or is cut short.
  init?(_ body: ByteBuffer, contentType: String?) {
    guard let contentType, let boundary = Self.boundary(contentType) else { return nil }
    let delimiter = Array("\r\n--\(boundary)".utf8)
    // The first delimiter has no line break before it when no text precedes it.
    guard var place = Self.find(delimiter.dropFirst(2), in: body, from: body.readerIndex) else { return nil }
    place += delimiter.count - 2
    var parts: [Part] = []
    while let bytes = body.getBytes(at: place, length: 2), bytes != Array("--".utf8) {
      guard parts.count < Self.partsMax, let line = Self.find("\r\n".utf8, in: body, from: place),
        let head = Self.find("\r\n\r\n".utf8, in: body, from: line), head - line <= Self.headBytesMax,
        let end = Self.find(delimiter, in: body, from: head + 2),
        let text = body.getString(at: line, length: head - line),
        let content = body.getSlice(at: min(head + 4, end), length: max(0, end - head - 4))
      else { return nil }
      parts.append(Part(isFile: Self.isFile(text), content: content))
      place = end + delimiter.count
    }
    guard place + 2 <= body.writerIndex else { return nil }
    self.parts = parts
  }

  /// The one file of the form; its only field when no field is a file.
  var file: ByteBuffer? {
    let files = parts.filter(\.isFile)
    if files.count == 1 { return files[0].content }
    return files.isEmpty && parts.count == 1 ? parts[0].content : nil
  }

  // MARK: Reading

  private static func boundary(_ contentType: String) -> String? {
    let pieces = contentType.split(separator: ";")
    guard pieces.first.map(trimmed)?.lowercased() == "multipart/form-data" else { return nil }
    for piece in pieces.dropFirst() {
      let pair = piece.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, trimmed(pair[0]).lowercased() == "boundary" else { continue }
      var value = trimmed(pair[1])
      if value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = value.dropFirst().dropLast() }
      guard (1...boundaryBytesMax).contains(value.utf8.count) else { return nil }
      return String(value)
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    var text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }

  private static func isFile(_ head: String) -> Bool {
    head.utf8.split(separator: UInt8(ascii: "\n")).contains { line in
      let line = String(decoding: line, as: UTF8.self).lowercased()
      return line.hasPrefix("content-disposition:") && line.contains("filename")
    }
  }

  /// Returns the buffer's index at which `word` begins.
  private static func find(_ word: some Collection<UInt8>, in body: ByteBuffer, from index: Int) -> Int? {
    let start = body.readerIndex
    return body.withUnsafeReadableBytes { $0.firstOffset(of: Array(word), from: index - start) }.map { $0 + start }
  }
}
