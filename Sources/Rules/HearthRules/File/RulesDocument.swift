/// The values of a rules file, with their positions.
///
/// The dialect is JSON with comments, one trailing comma in objects and arrays, and line breaks and tabs inside texts.
struct RulesDocument: Sendable {
  let source: SourceText
  /// The file from which this one was generated; nil for a file that was not generated.
  let origin: RulesOrigin?
  var root: Value

  struct Value: Sendable {
    var form: Form
    /// The byte at which the value begins.
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

  /// A text with its escapes resolved, and with the positions of its parts in the file.
  struct Text: Sendable {
    var value: String
    /// The byte of the opening quote.
    var offset: Int
    /// The pairs of an offset in the value's UTF-8 and the offset in the file, for the first byte and for the byte
    /// after every escape.
    var anchors: [(value: Int, file: Int)]

    /// Returns the offset in the file of a byte of the value.
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

  /// Parses a file.
  ///
  /// - Throws: ``RulesError`` with the syntax error.
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
