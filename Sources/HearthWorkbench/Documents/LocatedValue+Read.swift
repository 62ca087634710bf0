extension LocatedValue {
  /// Reads a text: YAML when the file's name ends in `.yaml` or `.yml`, else JSON.
  ///
  /// - Throws: the first problem.
  package static func read(_ document: DocumentText) throws(DocumentProblem) -> LocatedValue {
    guard document.text.utf8.count <= WorkbenchLimits.fileBytesMax else {
      throw document.problem("The file has more than \(WorkbenchLimits.fileBytesMax) bytes.", at: .byte(0))
    }
    let name = document.file.lowercased()
    guard name.hasSuffix(".yaml") || name.hasSuffix(".yml") else { return try JSONDocument.read(document) }
    return try YAMLDocument.read(document)
  }
}
