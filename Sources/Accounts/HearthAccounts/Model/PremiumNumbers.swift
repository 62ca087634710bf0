/// Numbers that cost the caller, or the sender of a message, more than others, and may pay their owner for each.
///
/// The prefixes are those of ITU-T E.164 (`+808`, `+870`, `+878`, `+881` to `+883`, `+888`, `+979`, `+991`) and of the
/// national numbering plans that regulators file with the ITU, as Google's libphonenumber 9.0 classes them: ranges that
/// have premium-rate or shared-cost numbers and no others. The United Kingdom's personal numbers (`+4470`) are
/// included: they are often used for such fraud.
package enum PremiumNumbers {
  /// The reason why a number costs more.
  package enum Kind: String, Sendable {
    /// A number whose owner gets a part of the price.
    case premium = "premium-rate"
    /// The caller and the owner share the cost.
    case sharedCost = "shared-cost"
    /// The number of a satellite, a ship or a network outside all national plans.
    case satellite
    /// The number of a network without a country.
    case global
  }

  /// A range of numbers: its kind, and the first digits of its numbers in E.164.
  package struct Range: Sendable, Equatable {
    /// The reason why its numbers cost more.
    package var kind: Kind
    /// A plus sign and digits.
    package var prefix: String
  }

  /// The range of a number; nil for one at its country's usual price.
  ///
  /// - Parameter number: E.164.
  package static func range(of number: String) -> Range? {
    let digits = Array(number.utf8.dropFirst())
    if let range = direct(digits[...]) { return range }
    // Trunk prefixes that are dialled within a country: a gateway may drop them, and send to the number behind.
    for length in 1..<max(1, min(digits.count, 4)) {
      let (code, rest) = (String(decoding: digits[..<length], as: UTF8.self), digits[length...])
      guard codes.contains(code), let trunk = trunkDigit(of: code), rest.first == trunk else { continue }
      if let range = direct(digits[..<length] + rest.drop { $0 == trunk }) { return range }
    }
    return nil
  }

  private static func direct(_ digits: ArraySlice<UInt8>) -> Range? {
    for count in 1..<max(1, min(digits.count, lengthMax) + 1) {
      let prefix = String(decoding: digits.prefix(count), as: UTF8.self)
      if let kind = kinds[prefix] { return Range(kind: kind, prefix: "+" + prefix) }
    }
    return nil
  }

  /// Returns the trunk digit that is dialled within a country before a number; nil where numbers themselves begin with that digit.
  private static func trunkDigit(of code: String) -> UInt8? {
    switch code {
    case "1": UInt8(ascii: "1")
    case "39", "47": nil
    default: UInt8(ascii: "0")
    }
  }

  private static let lengthMax = kinds.keys.map(\.utf8.count).max() ?? 1

  /// The calling codes of the table.
  private static let codes = Set(
    table.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) })

  private static let kinds: [String: Kind] = {
    var kinds: [String: Kind] = [:]
    for code in ["870", "881", "882", "883"] { kinds[code] = .satellite }
    for code in ["808", "878", "888", "979", "991"] { kinds[code] = .global }
    for line in table.split(separator: "\n") {
      var (words, kind) = (line.split(separator: " ")[...], Kind.premium)
      guard let code = words.popFirst() else { continue }
      for word in words {
        if word == "/" { kind = .sharedCost } else { kinds["\(code)\(word)"] = kind }
      }
    }
    return kinds
  }()

  /// A calling code, the first digits of its premium-rate numbers, and after a slash those of its shared-cost numbers.
  private static let table = """
    1 24697 34597 900
    7 803 809
    20 90
    27 862 863 864 865 866 867 868 869 9 / 860
    30 90 / 801 806 81 82 85 87
    31 90
    32 70 90 / 7879
    33 81 82 83 85 86 88 89 / 84
    34 803 806 807 / 901 902
    36 90 91
    39 0878 14 16 89 / 84
    40 9 / 801
    41 90 / 84
    43 86 89 9 / 81 82
    44 70 84 87 9
    45 90
    46 649 900 939 944 99 / 77
    47 82 / 81000 81001 81002 81003 81004 81005 81006 8102 8103 8104 8105 8106 8107 8108
    48 70 / 801
    49 13 900 / 180
    51 805 / 801
    52 90 / 30
    53 / 807
    54 60
    55 50 90 / 30 40 486
    57 19 90
    58 9
    61 19 / 13
    62 809 / 804
    64 1 500 503 506 507 90
    65 19
    81 990
    82 60
    84 190
    86 160 168 / 40 950
    90 88 89 9
    91 1861 / 1860
    92 90
    212 89
    213 803 804 805 806 808 809 / 801 802
    216 88 / 811 82
    221 88 / 81
    227 09
    230 30
    231 332
    236 8
    240 9
    242 8
    248 85
    250 9
    254 9
    255 9 / 84 86
    256 9
    262 89 / 81 82 88
    264 87
    267 9
    268 9
    269 8
    297 90
    298 90
    351 601 607 608 64 76 / 808 809
    352 900 901 905 / 801
    354 90
    355 9 / 808
    356 500 506 507 509 51 52
    357 90 / 801 802 803 804 805 806 807 808 809
    358 600 700
    359 90 / 700
    370 900 902 903 909 91 / 808
    371 9 / 81
    372 40 9
    373 9 / 808
    374 90 / 801 802 803 804
    375 81 9
    376 10 11 12 13 14 15 16 17 1801 1803 1804 1805 1806 1807 1808 1809 181 182 183 184 185 186 187 188 189 19 9
    378 7
    380 90
    381 78 9
    382 9
    383 9
    385 60 61 64 65 69
    386 89 9
    387 9 / 81 82
    389 5 / 801 802 803 804 805 806 807 808 809 81 82 83 84 85 86 87 88 89
    420 90 976 / 81 83 84
    421 900 97 98 / 85 86 87 88 89
    423 9
    502 19
    503 9
    506 9
    507 822 855 86 877 878 886 900 981
    590 81 82 89
    592 9
    594 81 82 89
    596 81 82 89
    597 90
    598 90
    599 / 6
    670 9
    687 36
    852 900
    886 20
    962 9 / 85
    966 9
    968 900
    970 / 17
    971 90 / 70
    972 120 121 19 / 17
    973 87 9 / 84
    994 90
    """
}
