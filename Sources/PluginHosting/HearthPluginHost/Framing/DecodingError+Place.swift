extension DecodingError {
  /// The fault and its coding path; no value.
  var place: String {
    let (context, name): (Context, String?) =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): (context, nil)
      case .keyNotFound(let key, let context): (context, key.stringValue)
      @unknown default: (Context(codingPath: [], debugDescription: "is not valid"), nil)
      }
    let path = (context.codingPath.map(\.stringValue) + [name].compactMap(\.self)).joined(separator: ".")
    return LogLines.printable("\(path.isEmpty ? "the answer" : path) \(context.debugDescription)".utf8.prefix(256))
  }
}
