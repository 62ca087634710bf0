import HearthRules
import HearthTree

/// The languages of predicates in rules.
extension Languages {
  /// Returns the language of one text; for a text longer than ``ExposureLimits/languageTextUnitsMax``, the opaque
  /// language.
  package func text(_ text: String) -> Language {
    let all = Array(text.utf16.prefix(ExposureLimits.languageTextUnitsMax + 1))
    guard all.count <= ExposureLimits.languageTextUnitsMax else { return opaque }
    return sequence(all.map { unit($0) })
  }

  private func unit(_ unit: UInt16) -> Language {
    guard unit < 128 else { return units([unit...unit]) }
    if let known = singles[Int(unit)] { return known }
    let language = units([unit...unit])
    singles[Int(unit)] = language
    return language
  }

  /// Returns the texts for which `x.contains(part)` is true.
  package func containing(_ part: String) -> Language { sequence([any, text(part), any]) }

  /// Returns the texts for which `x.beginsWith(part)` is true.
  package func beginning(with part: String) -> Language { sequence([text(part), any]) }

  /// Returns the texts for which `x.endsWith(part)` is true.
  package func ending(with part: String) -> Language { sequence([any, text(part)]) }

  /// Returns the texts with the given number of UTF-16 units.
  package func length(atLeast least: Int, atMost most: Int? = nil) -> Language {
    repeated(anyUnit, atLeast: max(0, least), atMost: most)
  }

  /// Returns the texts for which `x.matches(regex)` is true.
  package func matching(_ regex: LinearRegex) -> Language {
    let key = RegexKey(body: Array(regex.body.utf8), ignoresCase: regex.ignoresCase)
    if let known = regexes[key] { return known }
    let language = (try? RegexSyntax(regex.body, ignoresCase: regex.ignoresCase)).map(matching) ?? opaque
    regexes[key] = language
    return language
  }

  private func matching(_ syntax: RegexSyntax) -> Language {
    var made: [Language] = []
    for part in syntax.parts {
      let language =
        switch part {
        case .nothing: emptyText
        case .any: anyUnit
        case .units(let ranges, let isNegated):
          units(isNegated ? RegexUnits.complement(RegexUnits.merged(ranges)) : ranges)
        case .sequence(let operands): sequence(operands.map { made[$0] })
        case .either(let operands): union(operands.map { made[$0] })
        case .repeated(let operand, let least, let most): repeated(made[operand], atLeast: least, atMost: most)
        }
      made.append(language)
    }
    return sequence([
      syntax.isAnchoredAtStart ? emptyText : any, made[made.count - 1], syntax.isAnchoredAtEnd ? emptyText : any,
    ])
  }

  /// The keys under which data can be stored: 1 to 768 bytes, no control characters, none of `. # $ [ ] /`.
  package var keys: Language {
    let forbidden: [ClosedRange<UInt16>] = [
      0...0x1F, 0x23...0x24, 0x2E...0x2F, 0x5B...0x5B, 0x5D...0x5D, 0x7F...0x7F,
    ]
    let legal = repeated(units(RegexUnits.complement(forbidden)), atLeast: 1, atMost: nil)
    return intersection([legal, bytes(atMost: DataLimits.keySizeBytesMax)])
  }

  /// The user IDs: any texts of 1 to 128 UTF-16 units. They need not be valid keys: the uid of a custom token may be
  /// `a/b`.
  package var userIDs: Language { length(atLeast: 1, atMost: 128) }

  /// A superset of the results of `x.toLowerCase()`: the texts without A to Z.
  package var lowercased: Language { repeated(units(RegexUnits.complement([0x41...0x5A])), atLeast: 0, atMost: nil) }

  /// A superset of the results of `x.toUpperCase()`: the texts without a to z.
  package var uppercased: Language { repeated(units(RegexUnits.complement([0x61...0x7A])), atLeast: 0, atMost: nil) }
}
