/// Why an answer of an identity provider, or its metadata, is not taken.
package struct SAMLRefusal: Error, Sendable, Equatable {
  /// A sentence for whoever runs the two servers: what is wrong, and how to mend it. Nothing of the answer is in it but
  /// names that were expected to be others.
  package let reason: String
  /// The identity provider itself says that the person may not come in, or did not want to.
  package var isDenial = false

  /// A refusal for that reason.
  package init(_ reason: String) { self.reason = reason }

  static func denial(_ reason: String) -> SAMLRefusal {
    var refusal = SAMLRefusal(reason)
    refusal.isDenial = true
    return refusal
  }
}

extension SAMLRefusal {
  /// A name that says nothing at the next sign-in.
  package static let transientName = SAMLRefusal(
    "The identity provider names the person for once only (a transient NameID), and would not know them again. Have it send a "
      + "persistent one, or the e-mail address.")
}
