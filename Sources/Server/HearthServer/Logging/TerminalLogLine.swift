import HearthTree
import Logging

/// A line of the log for a person at a terminal: the time of day, a word in colour, the message, then the metadata.
///
/// ```
/// 18:43:16 denied    write /users/u1 by <signed out>  rule .write at /users/$uid (7:20)
///          why: hearth rules explain --trace 1-1
/// ```
///
/// Control characters of texts that clients chose are replaced, so that none can move the cursor or begin a line.
struct TerminalLogLine {
  /// The text with its last line's end.
  let text: String

  /// The width of the column of words.
  private static let wordWidth = 9
  /// The maximum length of a value in characters; longer ones are cut.
  private static let valueMax = 400
  /// The messages that name their subject alone, with the member that has the sentence.
  private static let sentences = ["accounts": "notice", "console": "event"]

  /// - Parameters:
  ///   - time: The time of day, such as `18:43:16`.
  ///   - explainOptions: The options with which `hearth rules explain` finds the server, with a space before each.
  ///   - isColored: True with escape sequences for colours.
  init(
    time: String, level: Logger.Level, message: String, metadata: Logger.Metadata, explainOptions: String = "",
    isColored: Bool
  ) {
    let style = Style(isColored: isColored)
    var rest = metadata
    // Requests are found by this in the JSON format and in the console.
    rest["request"] = nil
    var (word, sentence, hint): (String, String, String?) = (Self.word(level), message, nil)
    if message == "denied", metadata["path"] != nil {
      (word, sentence) = ("denied", Self.denial(&rest))
      hint = rest.removeValue(forKey: "trace").map {
        "why: hearth rules explain --trace \(Self.plain($0))\(explainOptions)"
      }
    } else if let name = Self.sentences[message], let value = rest.removeValue(forKey: name) {
      (word, sentence) = (message, Self.plain(value))
    }
    let members = rest.sorted { $0.key < $1.key }.map { "\($0.key.printable)=\(Self.plain($0.value))" }
    let padding = String(repeating: " ", count: max(1, Self.wordWidth - word.count + 1))
    var line = style.faint(time) + " " + style.word(word.printable, level, isDenial: hint != nil || word == "denied")
    line += padding + sentence.printable
    if !members.isEmpty { line += "  " + style.faint(members.joined(separator: " ")) }
    line += "\n"
    if let hint { line += String(repeating: " ", count: time.count + 1) + style.faint(hint) + "\n" }
    text = line
  }

  private static func word(_ level: Logger.Level) -> String { level == .notice ? "note" : level.rawValue }

  /// Removes the members of a denial, and returns them as a sentence.
  private static func denial(_ metadata: inout Logger.Metadata) -> String {
    func take(_ name: String) -> String? { metadata.removeValue(forKey: name).map(plain) }
    let operation = take("operation") ?? "request"
    let words = ["put": "write", "merge": "update", "get": "read"]
    let user = take("uid").flatMap { $0 == "-" ? nil : $0 } ?? "<signed out>"
    var text = "\(words[operation] ?? operation) \(take("path") ?? "/") by \(user)"
    let (rule, place, outcome) = (take("rule"), take("line"), take("outcome"))
    if let rule {
      text += "  rule \(rule)" + (place.map { " (\($0))" } ?? "")
      if outcome == "invalid" { text += " is false" }
    } else if outcome != nil {
      text += "  no rule is there"
    }
    return text
  }

  private static func plain(_ value: Logger.MetadataValue) -> String {
    let text = "\(value)".printable
    return text.count <= valueMax ? text : String(text.prefix(valueMax)) + "…"
  }

  /// The colours of a line: ECMA-48, Select Graphic Rendition.
  private struct Style {
    var isColored: Bool

    func faint(_ text: String) -> String { wrapped(text, "2") }

    func word(_ text: String, _ level: Logger.Level, isDenial: Bool) -> String {
      if isDenial { return wrapped(text, "33") }
      return switch level {
      case .trace, .debug: wrapped(text, "2")
      case .info: wrapped(text, "32")
      case .notice: wrapped(text, "36")
      case .warning: wrapped(text, "33")
      case .error: wrapped(text, "31")
      case .critical: wrapped(text, "1;31")
      }
    }

    private func wrapped(_ text: String, _ code: String) -> String {
      isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
  }
}
