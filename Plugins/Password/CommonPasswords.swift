/// The passwords that attackers try first.
///
/// The most frequent ones of two public collections: the list of the Openwall project (in the public domain) and Mark
/// Burnett's ten million passwords (likewise), the latter in the order of the zxcvbn project's frequency list. For each
/// minimum length of a policy there are 3,000 or more: 5,800 from 6 characters on, 3,200 from 8 characters on.
enum CommonPasswords {
  private static let all: Set<Substring> = Set(
    [short, long].flatMap { $0.description.split(whereSeparator: \.isWhitespace) })

  static var count: Int { all.count }

  /// Returns true for one of these passwords, in any case.
  static func contains(_ password: String) -> Bool { all.contains(Substring(password.lowercased())) }
}
