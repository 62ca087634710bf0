/// The requirements for new passwords.
///
/// Most important are the password's length, and that it is used for no other account; rules on kinds of characters are off, as
/// they make passwords predictable (OWASP ASVS 6.2.5).
public struct PasswordPolicy: Sendable, Equatable {
  /// The minimum length in Unicode scalars: 6 to 128.
  public var lengthMin = 6
  /// The maximum size in bytes of UTF-8: 64 to 4,096.
  public var sizeBytesMax = 4_096
  /// True when a password needs a lower-case letter of any alphabet.
  public var requiresLowercase = false
  /// True when a password needs an upper-case letter of any alphabet.
  public var requiresUppercase = false
  /// True when a password needs a decimal digit of any script.
  public var requiresDigit = false
  /// True when a password needs a character that is neither a letter nor a digit.
  public var requiresOther = false
  /// True when the most used passwords are refused, without regard to case.
  public var refusesCommon = false
  /// True when a password must not contain the local part of the address, or the project's name.
  public var refusesContext = false
  /// True when a sign-in with an older password that is too short, or lacks a kind of character, requires a reset
  /// first.
  public var appliesAtSignIn = false

  /// Creates the default policy: six characters, as in the official service.
  public init() {}
}
