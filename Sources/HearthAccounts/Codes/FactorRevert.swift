import HearthCrypto
import HearthTree

/// The code by which the owner of an address can undo that a second factor is added to their account: drawn before, stored
/// and mailed with it.
struct FactorRevert: Sendable, Redacted {
  /// Names the enrolment id in the ticket's details.
  static let member = "factor"

  var code: NewCode
  var link: String
  var ticket: Ticket
}

extension Ticket {
  /// Of a code that takes a second factor away: its enrolment id.
  package var revertedFactor: String? {
    guard purpose == .revertSecondFactor else { return nil }
    return details.flatMap { JSON(parsing: $0.utf8) }?[FactorRevert.member]?.string
  }
}
