import RandomTestKit

/// Random regular expressions of the rules language, with related texts.
struct RandomPattern {
  var dice: SeededRandom

  private static let characters = ["a", "b", "A", "B", "1", "é", "É", "😀", "_", "-", "\\.", "\\$", "\\n", " "]
  private static let classes = ["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "."]

  /// Returns a literal with its slashes and flags.
  mutating func literal() -> String {
    let start = dice.isOne(in: 2) ? "^" : ""
    let end = dice.isOne(in: 2) ? "$" : ""
    return "/\(start)\(union(3))\(end)/\(dice.isOne(in: 3) ? "i" : "")"
  }

  private mutating func union(_ depth: Int) -> String {
    var text = sequence(depth)
    while dice.isOne(in: 4) { text += "|" + sequence(depth) }
    return text
  }

  private mutating func sequence(_ depth: Int) -> String {
    var text = repeated(depth)
    while dice.isOne(in: 2) { text += repeated(depth) }
    return text
  }

  private mutating func repeated(_ depth: Int) -> String {
    let part = atom(depth)
    switch dice.below(10) {
    case 0: return part + "*"
    case 1: return part + "+"
    case 2: return part + "?"
    case 3: return part + "{\(dice.below(3))}"
    case 4: return part + "{\(dice.below(3)),}"
    case 5: return part + "{\(dice.below(2)),\(1 + dice.below(3))}"
    default: return part
    }
  }

  private mutating func atom(_ depth: Int) -> String {
    switch dice.below(8) {
    case 0, 1: return depth > 0 ? "(\(union(depth - 1)))" : "()"
    case 2: return dice.pick(Self.classes)
    case 3: return unitClass()
    default: return dice.pick(Self.characters)
    }
  }

  private mutating func unitClass() -> String {
    var text = dice.isOne(in: 3) ? "[^" : "["
    for _ in 0...dice.below(3) {
      text += dice.pick(["a", "b", "B", "a-c", "A-Z", "0-9", "\\d", "\\w", "é", "😀", "à-ü", "_", "\\]", "\\-"])
    }
    return text + "]"
  }

  /// Returns a text of up to `countMax` characters.
  mutating func text(_ countMax: Int = 6) -> String {
    let characters = ["a", "b", "A", "B", "1", "é", "É", "😀", "_", "-", ".", "$", "n", "\n", " ", "]", "c", "Z"]
    return (0..<dice.below(countMax + 1)).map { _ in dice.isOne(in: 2) ? dice.pick(["a", "b"]) : dice.pick(characters) }
      .joined()
  }
}
