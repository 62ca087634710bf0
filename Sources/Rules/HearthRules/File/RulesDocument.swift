/// A rules file as its dialect of JSON reads: values with their positions.
///
/// The dialect is JSON with comments, one trailing comma in objects and arrays, and line breaks and tabs inside texts.
struct RulesDocument: Sendable {
  let source: SourceText
  /// The file that this one was generated from; nil for a file written as it is.
  let origin: RulesOrigin?
  var root: Value

  struct Value: Sendable {
    var form: Form
    /// The byte that the value begins at.
    var offset: Int
  }

  enum Form: Sendable {
    case null
    case bool(Bool)
    /// The number as written.
    case number(String)
    case text(Text)
    case array([Value])
    case object([Member])
  }

  struct Member: Sendable {
    var name: Text
    var value: Value
  }

  /// A text with its escapes resolved, which remembers the source of each part.
  struct Text: Sendable {
    var value: String
    /// The byte of the opening quote.
    var offset: Int
    /// The anchors, for the first byte and the byte after every escape: offset in the value's UTF-8, and byte in the
    /// file.
    var anchors: [(value: Int, file: Int)]

    /// The byte in the file that a byte of the value came from.
    func fileOffset(of index: Int) -> Int {
      var (low, high) = (0, anchors.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if anchors[middle].value <= index { low = middle } else { high = middle }
      }
      guard low < anchors.count else { return offset }
      let anchor = anchors[low]
      return anchor.file + index - anchor.value
    }
  }

  /// Reads a file.
  ///
  /// - Throws: ``RulesError`` with the one problem that makes it unreadable.
  static func parse(_ text: String) throws(RulesError) -> RulesDocument {
    let origin = RulesOrigin(endOf: text).map { OriginText($0) }
    let source = SourceText(text, origin: origin)
    var parser = RulesDocumentParser(source)
    return RulesDocument(source: source, origin: origin?.origin, root: try parser.parse())
  }

  func error(_ message: String, help: String? = nil, atByte offset: Int) -> RulesError {
    RulesError([source.diagnostic(message, help: help, atByte: offset)])
  }
}
