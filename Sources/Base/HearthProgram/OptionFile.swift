/// A file of options: lines of `name = value`, which correspond to `--name=value` on a command line. Lines that begin
/// with `#` are comments; a value is all text between the `=` and the end of its line, without surrounding spaces.
package struct OptionFile: Sendable, Equatable {
  /// One option, with its position in the file.
  package struct Option: Sendable, Equatable {
    /// The name, without dashes in front.
    package var name: String
    /// The value; `true` or `false` for a flag.
    package var value: String
    /// The line of the name, counted from 1.
    package var line: Int
    /// The column at which the name begins, in characters from 1.
    package var column: Int
  }

  /// The error for an invalid file, with the position of the fault.
  package struct Problem: Error, Equatable, CustomStringConvertible {
    /// The line, counted from 1.
    package var line: Int
    /// The character in the line, counted from 1.
    package var column: Int
    /// The fault and its remedy.
    package var text: String

    package var description: String { "\(line):\(column): \(text)" }

    /// Creates an error at a position.
    package init(line: Int, column: Int, _ text: String) { (self.line, self.column, self.text) = (line, column, text) }

    /// Creates an error at the name of an option.
    package init(_ option: Option, _ text: String) { self.init(line: option.line, column: option.column, text) }
  }

  /// The options in the file's order; no name twice.
  package let options: [Option]

  /// Reads a file's text.
  package init(_ text: String) throws(Problem) {
    var (options, places) = ([Option](), [String: Int]())
    // A line break of another system is one character too.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, content) in lines.enumerated() {
      guard let option = try Self.option(content, line: index + 1) else { continue }
      if let first = places.updateValue(option.line, forKey: option.name) {
        throw Problem(option, "\(option.name) already occurs in line \(first)")
      }
      options.append(option)
    }
    self.options = options
  }

  private static func option(_ content: Substring, line: Int) throws(Problem) -> Option? {
    let rest = content.drop(while: \.isWhitespace)
    guard let first = rest.first, first != "#" else { return nil }
    let column = content.distance(from: content.startIndex, to: rest.startIndex) + 1
    guard let equals = rest.firstIndex(of: "=") else {
      throw Problem(
        line: line, column: column, "= is missing after the name: write name = value, or name = true for a flag")
    }
    let name = trimmed(rest[..<equals])
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
      throw Problem(
        line: line, column: column, "an option's name can have letters, digits and dashes, such as log-level")
    }
    guard !name.hasPrefix("-") else {
      throw Problem(line: line, column: column, "write an option's name without leading dashes")
    }
    let value = trimmed(rest[rest.index(after: equals)...])
    guard !value.isEmpty else {
      throw Problem(line: line, column: column, "\(name) has no value; put # before the line to keep the default")
    }
    return Option(name: name, value: value, line: line, column: column)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
