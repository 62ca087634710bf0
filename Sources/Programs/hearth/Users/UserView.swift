import HearthProgram
import HearthTree

/// An account of the identity interface, formatted for readers.
struct UserView {
  /// The record, without the placeholder that SDKs get instead of a password hash.
  let json: JSON

  init(json: JSON) {
    self.json = .object((json.members ?? []).filter { $0.name != "passwordHash" && $0.name != "salt" })
  }

  var uid: String { json["localId"]?.string ?? "" }
  var email: String? { json["email"]?.string }

  /// The providers: `password`, `google.com`, …. Without one: `custom` for an account of custom tokens, `none` for an
  /// account with an address and no way to sign in yet, and `anonymous`.
  var providers: String {
    let listed = (json["providerUserInfo"]?.array ?? []).compactMap { $0["providerId"]?.string }
    if !listed.isEmpty { return listed.joined(separator: ",") }
    if json["customAuth"]?.bool == true { return "custom" }
    return email == nil ? "anonymous" : "none"
  }

  var isDisabled: Bool { json["disabled"]?.bool == true }

  /// The marks for unusual properties of the account, one word each.
  var marks: String {
    var marks: [String] = []
    if isDisabled { marks.append("disabled") }
    if email != nil, json["emailVerified"]?.bool != true { marks.append("unverified") }
    if json["mfaInfo"]?.array?.isEmpty == false { marks.append("mfa") }
    if let claims = json["customAttributes"]?.string, claims != "{}" { marks.append("claims") }
    return marks.joined(separator: ",")
  }

  static let columns = ["UID", "EMAIL", "PROVIDERS", "CREATED", "LAST SIGN-IN", "REMARKS"]

  var cells: [String] {
    [
      uid, email ?? "", providers, TimeText.milliseconds(json["createdAt"]?.string),
      TimeText.milliseconds(json["lastLoginAt"]?.string), marks,
    ]
  }

  /// The properties, one a line.
  var description: String {
    var table = TextTable()
    for member in json.members ?? [] {
      switch (member.name, member.value) {
      case ("createdAt", .string(let text)), ("lastLoginAt", .string(let text)):
        table.add([member.name, TimeText.milliseconds(text)])
      case ("passwordUpdatedAt", let value):
        table.add([member.name, value.int.map(TimeText.milliseconds) ?? ""])
      case ("validSince", .string(let text)):
        table.add([member.name, Int64(text).map(TimeText.seconds) ?? text])
      case (let name, .string(let text)): table.add([name, text])
      case (let name, .array(let elements)):
        for element in elements { table.add([name, String(decoding: element.text(), as: UTF8.self)]) }
      case (let name, let value): table.add([name, String(decoding: value.text(), as: UTF8.self)])
      }
    }
    return table.text
  }
}
