import RandomTestKit

/// Random regular expressions of the rules language, with related texts.
struct RandomPattern {
  var generator: SeededRandom

  private static let characters = ["a", "b", "A", "B", "1", "é", "É", "😀", "_", "-", "\\.", "\\$", "\\n", " "]
  private static let classes = ["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "."]

  /// Returns a literal with its slashes and flags.
  mutating func literal() -> String {
    let start = generator.isOne(in: 2) ? "^" : ""
    let end = generator.isOne(in: 2) ? "$" : ""
    return "/\(start)\(union(3))\(end)/\(generator.isOne(in: 3) ? "i" : "")"
  }

  private mutating func union(_ depth: Int) -> String {
    var text = sequence(depth)
    while generator.isOne(in: 4) { text += "|" + sequence(depth) }
    return text
  }

  private mutating func sequence(_ depth: Int) -> String {
    var text = repeated(depth)
    while generator.isOne(in: 2) { text += repeated(depth) }
    return text
  }

  private mutating func repeated(_ depth: Int) -> String {
    let part = atom(depth)
    switch generator.below(10) {
    case 0: return part + "*"
    case 1: return part + "+"
    case 2: return part + "?"
    case 3: return part + "{\(generator.below(3))}"
    case 4: return part + "{\(generator.below(3)),}"
    case 5: return part + "{\(generator.below(2)),\(1 + generator.below(3))}"
    default: return part
    }
  }

  private mutating func atom(_ depth: Int) -> String {
    switch generator.below(8) {
    case 0, 1: return depth > 0 ? "(\(union(depth - 1)))" : "()"
    case 2: return generator.pick(Self.classes)
    case 3: return unitClass()
    default: return generator.pick(Self.characters)
    }
  }

  private mutating func unitClass() -> String {
    var text = generator.isOne(in: 3) ? "[^" : "["
    for _ in 0...generator.below(3) {
      text += generator.pick(["a", "b", "B", "a-c", "A-Z", "0-9", "\\d", "\\w", "é", "😀", "à-ü", "_", "\\]", "\\-"])
    }
    return text + "]"
  }

  /// Returns a text of up to `countMax` characters.
  mutating func text(_ countMax: Int = 6) -> String {
    let characters = ["a", "b", "A", "B", "1", "é", "É", "😀", "_", "-", ".", "$", "n", "\n", " ", "]", "c", "Z"]
    return (0..<generator.below(countMax + 1)).map { _ in
      generator.isOne(in: 2) ? generator.pick(["a", "b"]) : generator.pick(characters)
    }
    .joined()
  }
}
