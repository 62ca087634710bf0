import Testing

/// Checks that all public and package symbols have a doc comment.
///
/// Implementations of protocol requirements are exempt, because the protocol documents them: comparisons, those of
/// ``inherited``, those of channel handlers, and those of the protocols in ``protocolFiles``.
@Suite struct DocCommentTests {
  static let inherited: Set = [
    "description", "debugDescription", "customMirror", "rawValue", "hash", "encode", "init(from",
    "init(rawValue",
  ]

  /// The requirements of SwiftNIO's channel handlers.
  static let channelHandler: Set = [
    "handlerAdded", "handlerRemoved", "channelRead", "channelReadComplete", "channelWritabilityChanged",
    "channelInactive",
    "errorCaught",
  ]

  /// The files of protocols whose requirements need no comment in implementations.
  static let protocolFiles = [
    "Sources/Database/HearthJournal/Protocol/Journal.swift",
    "Sources/Database/HearthJournal/Protocol/OutboxJournal.swift",
    "Sources/Storage/HearthBackup/Files/FileLayer.swift", "Sources/Client/HearthSync/Storage/SyncStore.swift",
    "Sources/Server/HearthTransport/Loop/TransportConnection.swift",
  ]

  @Test("every public and package symbol has a comment", arguments: Manifest.sources)
  func documentsAllVisibleSymbols(target: Manifest.Target) throws {
    let required = try Self.protocolFiles.reduce(into: Self.channelHandler) {
      $0.formUnion(try Self.requirements(in: $1))
    }
    for path in target.files {
      for (line, name) in Self.undocumented(in: try Project.text(path)) where !required.contains(name) {
        Issue.record("\(path):\(line): \(name) has no doc comment")
      }
    }
  }

  /// Returns the functions that a file's protocols require.
  private static func requirements(in path: String) throws -> Set<String> {
    Set(try Project.text(path).matches(of: /\n  func ([a-zA-Z]+)/).map { String($0.output.1) })
  }

  /// Returns public and package symbols, and cases of public enumerations, without a comment above them.
  static func undocumented(in source: String) -> [(line: Int, name: String)] {
    var found: [(line: Int, name: String)] = []
    /// The enclosing types of the line, with their indents, and whether their cases are checked as well.
    var types: [(indent: Int, isEnumeration: Bool)] = []
    var (isCommented, line) = (false, 0)
    for text in source.split(separator: "\n", omittingEmptySubsequences: false) {
      line += 1
      let code = text.drop { $0 == " " }
      let indent = text.count - code.count
      if code.hasPrefix("///") {
        isCommented = true
        continue
      }
      if code.hasPrefix("@available(") || code.hasPrefix("@") && !code.contains(" ") { continue }
      defer { isCommented = false }
      guard !code.isEmpty, !code.hasPrefix("//") else { continue }
      while let last = types.last, indent <= last.indent { types.removeLast() }
      let words = code.split { " (<{:=,".contains($0) }.map(String.init)
      if let kind = words.firstIndex(where: kinds.contains), words[..<kind].contains(where: { openings.contains($0) }) {
        if typeKinds.contains(words[kind]) {
          types.append((indent, words[kind] == "enum" && words[..<kind].contains("public")))
        }
        let isOperator = code.contains("func ==") || code.contains("func <")
        let name = words[kind] == "init" ? initName(code) : kind + 1 < words.count ? words[kind + 1] : words[kind]
        if !isCommented, !isOperator, !inherited.contains(name) { found.append((line, name)) }
      } else if let type = types.last, type.isEnumeration, indent == type.indent + 2, words.first == "case",
        !isCommented, words.count > 1
      {
        found.append((line, words[1]))
      }
    }
    return found
  }

  /// Returns the name of an initializer with its first label, such as `init(from`.
  private static func initName(_ code: Substring) -> String {
    guard let start = code.firstRange(of: "init"), let parenthesis = code[start.upperBound...].firstIndex(of: "(")
    else {
      return "init"
    }
    return "init(" + code[code.index(after: parenthesis)...].prefix { $0.isLetter }
  }

  private static let openings: Set = ["public", "package"]
  private static let typeKinds: Set = ["struct", "class", "enum", "actor", "protocol"]
  private static let kinds = typeKinds.union(["typealias", "func", "var", "let", "init", "init?", "subscript"])

  @Test("a symbol without a comment is found, also a case")
  func findsUndocumentedSymbols() {
    let source = """
      /// Said.
      public struct A {
        public var b = 0
        /// Said.
        @inlinable
        public func c() {}
        var d = 0
      }
      /// Said.
      public enum E: String {
        case f = "f"
        /// Said.
        case g
        private enum H { case i }
      }
      /// Said.
      package enum J { case k }
      extension A: CustomStringConvertible { public var description: String { "" } }
      """
    #expect(Self.undocumented(in: source).map(\.name) == ["b", "f"])
  }
}
