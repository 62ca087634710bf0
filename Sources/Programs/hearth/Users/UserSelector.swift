import ArgumentParser
import HearthProgram
import HearthTree

/// An account, named on the command line: by uid, e-mail address or phone number.
///
/// A text with an `@` is an address and one of digits after a `+` a number; `uid:`, `email:` or `phone:` in front says
/// which it is where that would be wrong.
struct UserSelector: ExpressibleByArgument, Sendable {
  enum Kind: String, Sendable { case uid, email, phone }

  var kind: Kind
  var value: String

  init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    for kind in [Kind.uid, .email, .phone] where argument.hasPrefix(kind.rawValue + ":") {
      let value = String(argument.dropFirst(kind.rawValue.count + 1))
      guard !value.isEmpty else { return nil }
      self.kind = kind
      self.value = value
      return
    }
    value = argument
    if argument.contains("@") {
      kind = .email
    } else if argument.hasPrefix("+"), argument.count > 1, argument.dropFirst().allSatisfy(\.isWholeNumber) {
      kind = .phone
    } else {
      kind = .uid
    }
  }

  var text: String { TextTable.printable(value) }

  static let help: ArgumentHelp = ArgumentHelp(
    "The account: its uid, e-mail address or phone number.", valueName: "user")

  /// Returns the account's record.
  func find(_ admin: Administration) async throws -> UserView {
    let name = kind == .uid ? "localId" : kind == .email ? "email" : "phoneNumber"
    let answer = try await admin.accounts(":lookup", [name: [.string(value)]])
    guard let user = answer["users"]?.array?.first else {
      throw AdminFailure("\(admin.place) has no account with the \(kindText) \(text)")
    }
    return UserView(json: user)
  }

  /// Returns the account's uid, without a request when the uid itself was given.
  func uid(_ admin: Administration) async throws -> String {
    kind == .uid ? value : try await find(admin).uid
  }

  private var kindText: String {
    switch kind {
    case .uid: "uid"
    case .email: "address"
    case .phone: "phone number"
    }
  }
}
