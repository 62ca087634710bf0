import HearthBytes
import HearthTree

/// An object with a known set of member names.
struct LocatedObject {
  let document: DocumentText
  let place: TextOffset
  private let members: [LocatedValue.Member]

  /// Checks a value that must be an object.
  ///
  /// - Parameter noun: The object's kind in messages, such as `a case`.
  /// - Throws: An error for a value that is not an object, and for an unknown member.
  init(
    _ value: LocatedValue, in document: DocumentText, noun: String, names: [String]
  ) throws(DocumentProblem) {
    guard case .object(let members) = value.form else {
      throw document.problem("Expected an object for \(noun), found \(value.kind).", at: value.place)
    }
    for member in members where !names.contains(member.name) {
      let near = Suggestion.nearest(member.name, among: names)
      throw document.problem(
        "Unknown member '\(member.name)' of \(noun).",
        help: near.map { "Did you mean '\($0)'?" } ?? "The members are \(names.joined(separator: ", ")).",
        at: member.place)
    }
    self.document = document
    self.members = members
    place = value.place
  }

  subscript(name: String) -> LocatedValue? { members.first { $0.name == name }?.value }

  /// Returns the member's text; nil when it is absent.
  func text(_ name: String) throws(DocumentProblem) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let text) = value.form else {
      throw document.problem("'\(name)' must be a string, not \(value.kind).", at: value.place)
    }
    return text
  }

  /// Returns the member's Boolean; nil when it is absent.
  func bool(_ name: String) throws(DocumentProblem) -> Bool? {
    guard let value = self[name] else { return nil }
    guard case .bool(let bool) = value.form else {
      throw document.problem("'\(name)' must be true or false, not \(value.kind).", at: value.place)
    }
    return bool
  }

  /// Returns the member's integer; nil when it is absent.
  func int(_ name: String, _ unit: String, in range: ClosedRange<Int64>) throws(DocumentProblem) -> Int64? {
    guard let value = self[name] else { return nil }
    let found: Int64? =
      switch value.form {
      case .int(let number): number
      case .double(let number): Int64(exactly: number)
      default: nil
      }
    guard let found, range.contains(found) else {
      throw document.problem(
        "'\(name)' must be \(unit), a whole number from \(range.lowerBound) to \(range.upperBound).", at: value.place)
    }
    return found
  }
}
