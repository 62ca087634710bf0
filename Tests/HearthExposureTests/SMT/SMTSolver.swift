import Foundation

/// The z3 program of this machine, if it is installed.
enum SMTSolver {
  /// The path of the program; nil when it is not installed.
  static let path: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    return folders.map { $0 + "/z3" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Returns, for each script, the values of the requested names, or nil when there is no solution or none was found
  /// within the limit.
  static func solve(_ scripts: [(text: String, names: [String])]) throws -> [[String: String]?] {
    guard let path, !scripts.isEmpty else { return scripts.map { _ in nil } }
    // The limit counts the solver's work, so that a result does not depend on other load on the machine.
    var text = "(set-option :rlimit 1000000)\n"
    for script in scripts {
      text += "(push)\n\(script.text)\n(check-sat)\n"
      text += "(get-value (\(script.names.joined(separator: " "))))\n(pop)\n(echo \"next\")\n"
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "hearth-smt-\(UUID().uuidString).smt2")
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = ["-T:60", file.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let answers = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\nnext\n")
    return scripts.indices.map { index in
      guard index < answers.count, answers[index].hasPrefix("sat\n") else { return nil }
      return values(answers[index])
    }
  }

  /// Parses `((a 1) (b "x"))` as names and terms.
  private static func values(_ answer: String) -> [String: String] {
    var values: [String: String] = [:]
    var words: [String] = []
    var depth = 0
    var name = ""
    var rest = answer.drop { $0 != "(" }
    while let token = nextToken(&rest) {
      switch token {
      case "(":
        depth += 1
        if depth > 2 { words.append(token) }
      case ")":
        if depth == 2 {
          values[name] = words.joined(separator: " ")
          (name, words) = ("", [])
        } else if depth > 2 {
          words.append(token)
        }
        depth -= 1
      default:
        if depth == 2, name.isEmpty { name = token } else { words.append(token) }
      }
    }
    return values
  }

  private static func nextToken(_ text: inout Substring) -> String? {
    text = text.drop(while: \.isWhitespace)
    guard let first = text.first else { return nil }
    if first == "(" || first == ")" {
      text.removeFirst()
      return String(first)
    }
    if first == "\"" {
      var token = "\""
      text.removeFirst()
      while let next = text.popFirst() {
        token.append(next)
        if next == "\"" {
          guard text.first == "\"" else { break }
          text.removeFirst()  // A quotation mark in a string is doubled.
        }
      }
      return token
    }
    let token = text.prefix { !$0.isWhitespace && $0 != "(" && $0 != ")" }
    text = text[token.endIndex...]
    return String(token)
  }

  // MARK: Terms of a model

  static func number(_ term: String) -> Double? {
    let words = term.split(separator: " ").filter { $0 != "(" && $0 != ")" }
    switch words.first {
    case "-": return number(words.dropFirst().joined(separator: " ")).map { -$0 }
    case "/":
      // The sign may be inside: ( / ( - 1.0 ) 3.0 ).
      let isNegative = words.dropFirst().first == "-"
      let parts = words.dropFirst(isNegative ? 2 : 1).compactMap { Double($0) }
      return parts.count == 2 ? parts[0] / parts[1] * (isNegative ? -1 : 1) : nil
    default: return words.first.flatMap { Double($0) }
    }
  }

  /// Parses a string literal; returns nil for an invalid one, such as half of a surrogate pair.
  static func text(_ term: String) -> String? {
    guard term.hasPrefix("\""), term.hasSuffix("\""), term.count > 1 else { return nil }
    var rest = term.dropFirst().dropLast()
    var result = String.UnicodeScalarView()
    while let next = rest.first {
      if let match = rest.prefixMatch(of: /\\u\{([0-9a-fA-F]+)\}/) {
        guard let value = UInt32(match.output.1, radix: 16), let scalar = UnicodeScalar(value) else { return nil }
        result.append(scalar)
        rest = rest[match.range.upperBound...]
      } else {
        result.append(contentsOf: String(next).unicodeScalars)
        rest.removeFirst()
      }
    }
    return String(result)
  }
}
