/// The passwords that are tried first.
///
/// The most frequent ones of two public collections: the list of the Openwall project (in the public domain) and Mark
/// Burnett's ten million passwords (likewise), the latter in the order of the zxcvbn project's frequency list. Of each
/// length the policy can ask for, 3,000 or more are there: 5,800 from 6 characters on, 3,200 from 8 characters on.
enum CommonPasswords {
  private static let all: Set<Substring> = Set(
    [short, long].flatMap { $0.description.split(whereSeparator: \.isWhitespace) })

  static var count: Int { all.count }

  /// Returns true when it is one of them, without regard to case.
  static func contains(_ password: String) -> Bool { all.contains(Substring(password.lowercased())) }
}
