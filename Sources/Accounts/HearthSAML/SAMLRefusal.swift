/// The reason why a response of an identity provider, or its metadata, is refused.
package struct SAMLRefusal: Error, Sendable, Equatable {
  /// A sentence for the operators of the two servers: the error, and its remedy. It contains nothing of the response
  /// but unexpected names.
  package let reason: String
  /// True when the identity provider itself refused the user, or the user cancelled.
  package var isDenial = false

  /// Creates a refusal with the given reason.
  package init(_ reason: String) { self.reason = reason }

  static func denial(_ reason: String) -> SAMLRefusal {
    var refusal = SAMLRefusal(reason)
    refusal.isDenial = true
    return refusal
  }
}

extension SAMLRefusal {
  /// The refusal of a transient name id, which does not identify the user at the next sign-in.
  package static let transientName = SAMLRefusal(
    "The identity provider sends a transient NameID, which does not identify the user at the next sign-in. Have it send a "
      + "persistent NameID, or the e-mail address.")
}
