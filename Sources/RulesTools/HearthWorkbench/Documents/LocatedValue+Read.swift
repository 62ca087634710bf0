extension LocatedValue {
  /// Reads a text: as YAML when the file's name ends in `.yaml` or `.yml`, otherwise as JSON.
  ///
  /// - Parameter bytesMax: The maximum size of the text.
  /// - Throws: the first problem.
  package static func read(
    _ document: DocumentText, bytesMax: Int = WorkbenchLimits.fileBytesMax
  ) throws(DocumentProblem) -> LocatedValue {
    guard document.text.utf8.count <= bytesMax else {
      throw document.problem("The file has more than \(bytesMax) bytes.", at: .byte(0))
    }
    let name = document.file.lowercased()
    guard name.hasSuffix(".yaml") || name.hasSuffix(".yml") else { return try JSONDocument.read(document) }
    return try YAMLDocument.read(document)
  }
}
