import HearthCrypto
import HearthTree

/// The author of a deploy, as the server itself knows it.
package struct RulesAuthor: Sendable, Equatable {
  /// The kind of the author's authentication. The texts are in files and responses, and are never renamed.
  enum Kind: String, Sendable {
    /// The administrator's access token of the data folder, which commands on the folder use.
    case administrator
    /// A service account; the name is its address.
    case serviceAccount
    /// A database secret, or a token that was signed with one; the name is the token's uid, or else the secret's.
    case secret
    /// A program on a developer's machine with an emulator.
    case emulator
    /// A rules file that the server was started with, or that it watches; the name is its path.
    case file
    /// The server itself, which restores a former version.
    case server
    /// The author is not known: the rules were in force when the history began.
    case unknown
  }

  var kind: Kind
  var name: String?

  static let server = RulesAuthor(kind: .server)
  static let unknown = RulesAuthor(kind: .unknown)

  /// Returns the author for the rules file of that path.
  package static func file(_ path: String?) -> RulesAuthor { RulesAuthor(kind: .file, name: path) }

  init(kind: Kind, name: String? = nil) { (self.kind, self.name) = (kind, name) }

  /// - Parameter credential: an administrator's.
  init(_ credential: VerifiedCredential?) {
    switch credential?.kind {
    case .adminToken:
      self = RulesAuthor(kind: credential?.owner == nil ? .administrator : .serviceAccount, name: credential?.owner)
    case .legacyToken, .legacySecret:
      var name = credential?.keyID
      if case .string(let uid)? = credential?.claims["d"]?["uid"], !uid.isEmpty { name = uid }
      self = RulesAuthor(kind: .secret, name: name)
    case .consoleSession: self = RulesAuthor(kind: .administrator)
    case .developerOwner, .developerToken: self = RulesAuthor(kind: .emulator)
    case .idToken, .sessionCookie, .foreignToken, nil: self = .unknown
    }
  }

  init?(_ json: JSON?) {
    guard let kind = json?["kind"]?.string else { return nil }
    self.init(kind: Kind(rawValue: kind) ?? .unknown, name: json?["name"]?.string)
  }

  var json: JSON {
    var json: JSON = ["kind": .string(kind.rawValue)]
    if let name { json["name"] = .string(name) }
    return json
  }
}
