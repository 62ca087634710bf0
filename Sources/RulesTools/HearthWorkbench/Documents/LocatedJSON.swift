import HearthTree

/// A value's JSON text, with the source offsets of its parts. The text is read with the server's JSON reader, and the
/// offsets of its errors are mapped to the file.
struct LocatedJSON {
  private var writer = JSONWriter()
  private var places: [(offset: Int, place: TextOffset)] = []

  init(_ value: LocatedValue) { write(value) }

  /// Reads the text.
  ///
  /// - Throws: The reader's error, at its position in the file.
  func read<Result>(
    in document: DocumentText, _ body: (inout JSONReader) throws(JSONError) -> Result
  ) throws(DocumentProblem) -> Result {
    do throws(JSONError) {
      return try writer.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
        var reader = JSONReader(UnsafeRawBufferPointer(bytes))
        let result = try body(&reader)
        try reader.end()
        return result
      }
    } catch {
      throw document.problem(error.message + ".", help: Self.help(error.code), at: place(ofByte: error.offset))
    }
  }

  private func place(ofByte offset: Int) -> TextOffset {
    (places.last { $0.offset <= offset } ?? places.first)?.place ?? .byte(0)
  }

  private static func help(_ code: JSONError.Code) -> String? {
    switch code {
    case .invalidKey, .invalidPath: #"A key cannot contain . $ # [ ] / or control characters."#
    case .unknownServerValue: #"{".sv": "timestamp"} or {".sv": {"increment": 1}}"#
    case .invalidMetadata: "The only names with a leading dot are .value, .priority and .sv."
    default: nil
    }
  }

  private mutating func write(_ value: LocatedValue) {
    places.append((writer.bytes.count, value.place))
    switch value.form {
    case .null: writer.writeNull()
    case .bool(let value): writer.write(value)
    case .int(let value): writer.write(Scalar.int(value))
    case .double(let value): writer.write(Scalar.double(value))
    case .string(let text): writer.write(text)
    case .array(let elements):
      writer.write(raw: "[")
      for (index, element) in elements.enumerated() {
        if index > 0 { writer.write(raw: ",") }
        write(element)
      }
      writer.write(raw: "]")
    case .object(let members):
      writer.write(raw: "{")
      for (index, member) in members.enumerated() {
        if index > 0 { writer.write(raw: ",") }
        places.append((writer.bytes.count, member.place))
        writer.write(member.name)
        writer.write(raw: ":")
        write(member.value)
      }
      writer.write(raw: "}")
    }
  }
}
