import HearthTree

/// Questions about a language. Each is answered exactly, or with "unknown" when a limit was reached.
extension Languages {
  /// Returns a word with the fewest UTF-16 units, or a proof that there is none.
  package func shortestWord(of language: Language) -> WordSearch { search(language, .short) }

  /// Returns a short word, of letters and digits if possible, or a proof that there is none.
  package func readableWord(of language: Language) -> WordSearch { search(language, .readable) }

  /// Returns true when the language has no word; nil when that is unknown.
  package func isEmpty(_ language: Language) -> Bool? {
    if let known = emptiness[language] { return known }
    let isEmpty: Bool?
    if facts(of: language).isNullable || contains(language, "a") == true {
      isEmpty = false  // because the word `a` was found, which is in most languages
    } else {
      switch search(language, .short) {
      case .empty: isEmpty = true
      case .word: isEmpty = false
      case .unknown: isEmpty = nil
      }
    }
    emptiness[language] = .some(isEmpty)
    return isEmpty
  }

  /// Returns up to `count` different words, the most readable first; fewer when no more are found. Each word is only
  /// searched when the iterator is asked for it.
  package func words(of language: Language, count: Int) -> AnyIterator<String> {
    var (rest, last, left) = (language, String?.none, count)
    return AnyIterator {
      guard left > 0 else { return nil }
      if let last { rest = self.intersection([rest, self.complement(self.text(last))]) }
      guard case .word(let word) = self.search(rest, .readable) else { return nil }
      (last, left) = (word, left - 1)
      return word
    }
  }

  /// Returns true when every word of `part` is a word of `whole`; nil when that is unknown.
  package func isSubset(_ part: Language, of whole: Language) -> Bool? {
    isEmpty(intersection([part, complement(whole)]))
  }

  /// Returns true when a text is a word of the language; nil when that is unknown.
  package func contains(_ language: Language, _ word: String) -> Bool? {
    let membership = Membership(language: language, word: Key(word))
    if let known = memberships[membership] { return known }
    let isMember = findMember(language, word)
    memberships[membership] = .some(isMember)
    return isMember
  }

  private func findMember(_ language: Language, _ word: String) -> Bool? {
    var place = language
    var workLeft = ExposureLimits.languageWorkMax
    for unit in word.utf16 {
      if place == none { return false }
      workLeft -= facts(of: place).width
      guard place != opaque, workLeft >= 0 else { return nil }
      place = derivative(of: place, by: unit)
    }
    return place == opaque ? nil : facts(of: place).isNullable
  }

  private func search(_ language: Language, _ preference: WordFinder.Preference) -> WordSearch {
    let question = Question(language: language, preference: preference)
    if let known = answers[question] { return known }
    var finder = WordFinder(self, preference)
    let answer = finder.search(language)
    answers[question] = answer
    return answer
  }

  /// Returns the derivative by any unit of a class whose units the language does not distinguish.
  func derivative(of language: Language, byFirstOf units: [ClosedRange<UInt16>]) -> Language {
    let key = DerivativeKey(language: language, unit: units[0].lowerBound)
    if let known = derivatives[key] { return known }
    let derivative = derivative(of: language, by: key.unit)
    derivatives[key] = derivative
    return derivative
  }
}
