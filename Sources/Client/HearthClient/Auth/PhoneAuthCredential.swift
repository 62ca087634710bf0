import HearthTree

/// The credential of a phone number.
public final class PhoneAuthCredential: AuthCredential, @unchecked Sendable {
  enum Proof: Sendable {
    /// A code that was sent, with the identifier of its verification.
    case code(verificationID: String, code: String)
    /// The server's proof for a number that belongs to another account than the one it was to be linked to.
    case temporary(proof: String, phoneNumber: String)
  }

  /// The purpose of a request with the credential.
  enum Operation: String {
    case signIn = "SIGN_UP_OR_IN"
    case reauthenticate = "REAUTH"
    case update = "UPDATE"
    case link = "LINK"
  }

  let proof: Proof

  init(_ proof: Proof) {
    self.proof = proof
    super.init(provider: PhoneAuthProvider.id)
  }

  /// Returns the fields of a request for `accounts:signInWithPhoneNumber`.
  func fields(_ operation: Operation) throws -> [(String, JSON?)] {
    var fields: [(String, JSON?)] = [("operation", .string(operation.rawValue))]
    switch proof {
    case .code:
      let (id, code) = try enteredCode
      fields += [("sessionInfo", .string(id)), ("code", .string(code))]
    case .temporary(let proof, let number):
      fields += [("temporaryProof", .string(proof)), ("phoneNumber", .string(number))]
    }
    return fields
  }

  /// The part of a request that proves a second factor.
  var verificationInfo: JSON {
    get throws {
      let (id, code) = try enteredCode
      return ["sessionInfo": .string(id), "code": .string(code)]
    }
  }

  private var enteredCode: (verificationID: String, code: String) {
    get throws {
      guard case .code(let id, let code) = proof, !id.isEmpty else { throw AuthErrorCode.missingVerificationID.error() }
      guard !code.isEmpty else { throw AuthErrorCode.missingVerificationCode.error() }
      return (id, code)
    }
  }
}
