/// The canonical form in which e-mail addresses are stored, compared, counted and looked up.
public enum EmailAddress {
  /// The longest address, in UTF-8 bytes.
  static let sizeBytesMax = 255

  /// The canonical form of an address; nil for an invalid or unsupported one.
  ///
  /// An address has one `@` with something on both sides, and no white space, control character or character that means
  /// something in a mail's header. It is written in lower case (all of Unicode) and in normalisation form C, so that
  /// texts that look the same, are typed on different systems and mean the same mailbox are one address. Characters
  /// that Unicode keeps only for round trips with other sets, such as the Kelvin sign, are refused: lower-casing would
  /// turn them into the letters of another address. A domain in Unicode and the same one in Punycode are two addresses.
  /// The canonical form of a canonical form is itself.
  public static func canonical(_ text: String) -> String? {
    guard !text.isEmpty, text.utf8.count <= sizeBytesMax, text.unicodeScalars.allSatisfy(isAllowed) else { return nil }
    let lowered = text.unicodeScalars.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
    let canonical = String(String.UnicodeScalarView(CanonicalComposition.composed(lowered)))
    guard canonical.utf8.count <= sizeBytesMax else { return nil }
    let parts = canonical.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, isDomain(parts[1]) else { return nil }
    return canonical
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "(", ")", "<", ">", "[", "]", ",", ";", ":", "\\", "\"": return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator, .paragraphSeparator:
      return false
    default: return !scalar.properties.isFullCompositionExclusion
    }
  }

  /// Labels between dots, none of them empty.
  private static func isDomain(_ domain: Substring.UTF8View) -> Bool {
    domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
  }
}
