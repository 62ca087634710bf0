import RandomTestKit

@testable import HearthExposure

/// A language as an expression, with a slow membership test that tries all ways to split a text.
indirect enum Term {
  case text(String)
  case any
  case length(Int, Int?)
  case units(Set<Character>)
  case sequence(Term, Term)
  case union(Term, Term)
  case intersection(Term, Term)
  case complement(Term)
  case repeated(Term, Int, Int?)

  func contains(_ word: Substring) -> Bool {
    switch self {
    case .text(let text): return word == text
    case .any: return true
    case .length(let least, let most): return word.count >= least && most.map { word.count <= $0 } ?? true
    case .units(let units): return word.count == 1 && units.contains(word[word.startIndex])
    case .sequence(let a, let b):
      return (0...word.count).contains { a.contains(word.prefix($0)) && b.contains(word.dropFirst($0)) }
    case .union(let a, let b): return a.contains(word) || b.contains(word)
    case .intersection(let a, let b): return a.contains(word) && b.contains(word)
    case .complement(let a): return !a.contains(word)
    case .repeated(let part, let least, let most): return Self.isRepetition(word, of: part, least, most)
    }
  }

  private static func isRepetition(_ word: Substring, of part: Term, _ least: Int, _ most: Int?) -> Bool {
    if word.isEmpty { return least == 0 || part.contains(word) && most != 0 }
    if most == 0 { return false }
    // The first non-empty repetition; empty ones before it may be moved to the end.
    return (1...word.count).contains {
      part.contains(word.prefix($0))
        && isRepetition(word.dropFirst($0), of: part, max(0, least - 1), most.map { $0 - 1 })
    }
  }

  func language(in languages: Languages) -> Language {
    switch self {
    case .text(let text): languages.text(text)
    case .any: languages.any
    case .length(let least, let most): languages.length(atLeast: least, atMost: most)
    case .units(let units): languages.union(units.map { languages.text(String($0)) })
    case .sequence(let a, let b): languages.sequence([a.language(in: languages), b.language(in: languages)])
    case .union(let a, let b): languages.union([a.language(in: languages), b.language(in: languages)])
    case .intersection(let a, let b): languages.intersection([a.language(in: languages), b.language(in: languages)])
    case .complement(let a): languages.complement(a.language(in: languages))
    case .repeated(let a, let least, let most):
      languages.repeated(a.language(in: languages), atLeast: least, atMost: most)
    }
  }

  static func random(_ generator: inout SeededRandom, _ depth: Int) -> Term {
    guard depth > 0 else {
      switch generator.below(5) {
      case 0: return .any
      case 1: return .length(generator.below(3), generator.isOne(in: 2) ? nil : generator.below(4))
      case 2: return .units(generator.pick([[], ["a"], ["b"], ["a", "b"]]))
      default: return .text(generator.pick(["", "a", "b", "ab", "ba", "aab"]))
      }
    }
    switch generator.below(7) {
    case 0, 1: return .sequence(random(&generator, depth - 1), random(&generator, depth - 1))
    case 2: return .union(random(&generator, depth - 1), random(&generator, depth - 1))
    case 3: return .intersection(random(&generator, depth - 1), random(&generator, depth - 1))
    case 4: return .complement(random(&generator, depth - 1))
    case 5:
      let least = generator.below(3)
      return .repeated(random(&generator, depth - 1), least, generator.isOne(in: 2) ? nil : least + generator.below(3))
    default: return random(&generator, depth - 1)
    }
  }

  /// Returns all texts over `a` and `b` of up to this many units, the shortest first.
  static func words(upTo count: Int) -> [String] {
    var all = [""]
    var last = [""]
    for _ in 0..<count {
      last = last.flatMap { [$0 + "a", $0 + "b"] }
      all += last
    }
    return all
  }
}
