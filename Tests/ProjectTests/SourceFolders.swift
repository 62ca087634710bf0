import Foundation

/// The dependencies between the folders of one target, and the sizes of its types.
///
/// A reference is a word that names a type which is declared, at the top level of a file, in exactly one folder of the
/// target. A file belongs to the type that it declares or extends most often. Comments do not count.
struct SourceFolders {
  /// A source file without its comments.
  private struct File {
    /// The first folder on its path; nil for a file at the top of the target.
    var folder: String?
    /// The types that it declares at the top level.
    var declared: [String]
    /// The type that the file belongs to.
    var subject: String?
    /// The words that may name a type.
    var words: Set<Substring>
    var lineCount: Int
  }

  private let files: [File]

  init(_ target: Manifest.Target) throws {
    files = try target.files.map { path in
      let parts = path.dropFirst(target.path.count + 1).split(separator: "/")
      return Self.file(try Project.text(path), folder: parts.count > 1 ? String(parts[0]) : nil)
    }
  }

  /// Folders that depend on each other, each pair once as `A <-> B`, with the types that cause it.
  var pairs: [String: String] {
    var foldersOfType: [String: Set<String?>] = [:]
    for file in files { for name in file.declared { foldersOfType[name, default: []].insert(file.folder) } }
    var dependencies: [[String]: Set<String>] = [:]
    for file in files {
      guard let from = file.folder else { continue }
      for word in file.words {
        guard let places = foldersOfType[String(word)], places.count == 1, let place = places.first, let to = place,
          to != from
        else { continue }
        dependencies[[from, to], default: []].insert(String(word))
      }
    }
    var found: [String: String] = [:]
    for (dependency, there) in dependencies where dependency[0] < dependency[1] {
      guard let back = dependencies[dependency.reversed()] else { continue }
      found["\(dependency[0]) <-> \(dependency[1])"] =
        "\(dependency[0]) names \(there.sorted()), \(dependency[1]) names \(back.sorted())"
    }
    return found
  }

  /// The lines of each type over all its files.
  var sizes: [String: Int] {
    files.reduce(into: [:]) { sizes, file in
      if let subject = file.subject { sizes[subject, default: 0] += file.lineCount }
    }
  }

  private static func file(_ source: String, folder: String?) -> File {
    var (declared, extended): ([String], [String]) = ([], [])
    var words: Set<Substring> = []
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines {
      let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
      let tokens = code.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
      for token in tokens where token.first?.isUppercase == true { words.insert(token) }
      guard code.first != " " else { continue }
      if let name = declaration(tokens) { declared.append(name) }
      if tokens.first == "extension", tokens.count > 1 { extended.append(String(tokens[1])) }
    }
    var counts: [String: Int] = [:]
    for name in declared + extended { counts[name, default: 0] += 1 }
    let most = counts.values.max()
    return File(
      folder: folder, declared: declared, subject: (declared + extended).first { counts[$0] == most }, words: words,
      lineCount: lines.count - 1)
  }

  private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "private", "fileprivate", "final", "indirect",
  ]

  /// Returns the type that a line declares.
  private static func declaration(_ tokens: [Substring]) -> String? {
    guard let kind = tokens.firstIndex(where: { !$0.hasPrefix("@") && !modifiers.contains($0) }),
      kinds.contains(tokens[kind]), kind + 1 < tokens.count, tokens[kind + 1].first?.isUppercase == true
    else { return nil }
    return String(tokens[kind + 1])
  }
}
