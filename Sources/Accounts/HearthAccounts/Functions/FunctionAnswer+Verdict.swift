import HearthCrypto
import HearthPlugin
import HearthTree

extension FunctionAnswer {
  /// Returns the blocking function's decision.
  ///
  /// - Throws: ``HookFailure/badAnswer(_:)`` for an invalid response.
  func verdict(at moment: HookEvent.Moment) throws(HookFailure) -> HookVerdict {
    guard status == 200 else {
      let text = String(decoding: body.prefix(BlockingFunctionLimits.refusalBytesMax), as: UTF8.self)
      return .deny(message: "HTTP Cloud Function returned an error: " + (text.isEmpty ? "status \(status)" : text))
    }
    guard body.count <= BlockingFunctionLimits.answerBytesMax, let json = JSON(parsing: body), json.members != nil
    else {
      throw .badAnswer("The function's answer is not a JSON object.")
    }
    switch json["userRecord"] {
    case nil, .null?: return .allow()
    case let record?: return .allow(try HookChanges(userRecord: record, at: moment))
    }
  }
}

extension HookChanges {
  /// Reads the fields in a function's mask. A field in the mask that is absent or null is cleared.
  fileprivate init(userRecord record: JSON, at moment: HookEvent.Moment) throws(HookFailure) {
    guard record.members != nil else { throw .badAnswer("The function's userRecord is not an object.") }
    guard let mask = record["updateMask"]?.string else {
      throw .badAnswer("The function's userRecord has no updateMask.")
    }
    self.init()
    for name in Set(mask.split(separator: ",")) {
      let name = String(name.drop { $0 == " " })
      let value = record[name].flatMap { $0 == .null ? nil : $0 }
      switch name {
      case "displayName": displayName = try Self.text(value, name)
      case "photoURL", "photoUrl": photoURL = try Self.text(value, name)
      case "disabled": isDisabled = try Self.flag(value, name)
      case "emailVerified": isEmailVerified = try Self.flag(value, name)
      case "customClaims":
        customClaims = try Self.claims(value, name).map { FieldChange.set($0) } ?? .cleared
      case "sessionClaims":
        // The SDK for Node lets a `beforeCreate` function return session claims, although no session begins there.
        let claims = try Self.claims(value, name)
        if moment == .beforeSignIn { sessionClaims = claims }
      default: continue
      }
    }
  }

  private static func text(_ value: JSON?, _ name: String) throws(HookFailure) -> FieldChange<String> {
    guard let value else { return .cleared }
    guard let text = value.string else { throw .badAnswer("The function's \(name) is not a string.") }
    return .set(text)
  }

  private static func flag(_ value: JSON?, _ name: String) throws(HookFailure) -> Bool {
    guard let value else { return false }
    guard let flag = value.bool else { throw .badAnswer("The function's \(name) is neither true nor false.") }
    return flag
  }

  private static func claims(_ value: JSON?, _ name: String) throws(HookFailure) -> JSON? {
    guard let value else { return nil }
    do throws(AccountError) {
      _ = try SessionClaims.read(value)
    } catch {
      switch error.code {
      case .forbiddenClaim: throw .badAnswer("The function's \(name) have a reserved name: \(error.detail ?? "").")
      case .claimsTooLarge: throw .badAnswer("The function's \(name) are longer than 1000 characters.")
      default: throw .badAnswer("The function's \(name) are not an object.")
      }
    }
    return value
  }
}
