import HearthTree
import NIOCore

/// The parsing of request bodies as data to write.
enum RESTBody {
  /// Parses the value of a PUT or POST.
  static func value(_ body: ByteBuffer, for location: Location) throws(RESTFailure) -> WriteValue {
    try read(body, syntaxFailure: .invalidData) { reader throws(JSONError) in
      try reader.writeValue(for: location)
    }
  }

  /// Parses the writes of a PATCH, relative to `path`; nil for `null`, which deletes.
  ///
  /// - Throws: 400 for a member whose name is no key, such as `""` or `"/"`: it would replace the whole of `path`,
  ///   which a PATCH never means.
  static func merge(_ body: ByteBuffer, at path: Path) throws(RESTFailure) -> [Write]? {
    let writes = try read(body, syntaxFailure: .invalidMerge) { reader throws(JSONError) -> [Write]? in
      if try reader.null() { return nil }
      return try reader.merge(below: path.count)
    }
    if let writes, writes.contains(where: { $0.location.path.isRoot && !$0.location.isPriority }) {
      throw .invalidMerge
    }
    return writes
  }

  /// Returns false for a body that certainly sets no priority.
  static func mayHavePriorities(_ body: ByteBuffer) -> Bool {
    body.withUnsafeReadableBytes { $0.firstOffset(of: Array(".priority".utf8)) != nil }
  }

  /// Returns the text of a rules file.
  static func text(_ body: ByteBuffer) throws(RESTFailure) -> String {
    guard body.readableBytes > 0 else { throw .noData }
    guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
      throw RESTFailure(400, "1:1: Parse error. The file is not UTF-8 text.")
    }
    return text
  }

  private static func read<Result>(
    _ body: ByteBuffer, syntaxFailure: RESTFailure, _ parse: (inout JSONReader) throws(JSONError) -> Result
  ) throws(RESTFailure) -> Result {
    guard body.readableBytes > 0 else { throw .noData }
    let outcome = body.withUnsafeReadableBytes { bytes -> Swift.Result<Result, JSONError> in
      var reader = JSONReader(bytes)
      do throws(JSONError) {
        let result = try parse(&reader)
        try reader.end()
        return .success(result)
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let result): return result
    case .failure(let error): throw failure(error, syntaxFailure)
    }
  }

  private static func failure(_ error: JSONError, _ syntaxFailure: RESTFailure) -> RESTFailure {
    switch error.code {
    case .tooDeep, .stringTooLong, .tooMany, .unknownServerValue, .overlappingPaths, .invalidPriority:
      RESTFailure(400, "Invalid data; \(error.message).")
    default: syntaxFailure
    }
  }
}
