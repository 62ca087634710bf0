import HearthEngine
import HearthPlugin
import HearthSAML
import HearthTree

/// The user that a SAML assertion names, as a federated identity.
struct SAMLUser: Sendable {
  let identity: FederatedIdentity

  // The names that common identity providers give these attributes; compared in lower case.
  private static let emails = [
    "email", "mail", "emailaddress", "urn:oid:0.9.2342.19200300.100.1.3",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
  ]
  private static let displayNames = [
    "displayname", "urn:oid:2.16.840.1.113730.3.1.241", "http://schemas.microsoft.com/identity/claims/displayname",
    "cn",
    "urn:oid:2.5.4.3", "name",
  ]
  private static let firstNames = [
    "givenname", "firstname", "urn:oid:2.5.4.42", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname",
  ]
  private static let lastNames = [
    "surname", "sn", "lastname", "urn:oid:2.5.4.4", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname",
  ]

  /// - Throws: a refusal of a transient name id, which differs at the next sign-in.
  init(_ assertion: SAMLAssertion, by configuration: ProviderConfiguration) throws(SAMLRefusal) {
    guard !assertion.hasTransientNameID else { throw .transientName }
    func value(_ names: [String]) -> String? {
      for name in names {
        let found = assertion.attributes.first {
          $0.name.lowercased() == name || $0.friendlyName?.lowercased() == name
        }
        if let text = found?.values.first { return PlainText.line(text, lengthMax: 256) }
      }
      return nil
    }
    var foreign = ForeignIdentity(rawID: assertion.nameID)
    foreign.email = value(Self.emails) ?? (assertion.hasEmailNameID ? assertion.nameID : nil)
    foreign.isEmailVerified = foreign.email.map { configuration.covers($0) } ?? false
    foreign.firstName = value(Self.firstNames)
    foreign.lastName = value(Self.lastNames)
    let parts = [foreign.firstName, foreign.lastName].compactMap { $0 }
    foreign.displayName = value(Self.displayNames) ?? (parts.isEmpty ? nil : parts.joined(separator: " "))
    let attributes = Self.attributes(of: assertion)
    foreign.profile = attributes
    var identity = FederatedIdentity(providerID: configuration.id, foreign)
    identity.signInAttributes = attributes
    self.identity = identity
  }

  /// Returns the attributes that fit into the limit, in the provider's order: a string for one value, an array
  /// for several.
  private static func attributes(of assertion: SAMLAssertion) -> JSON? {
    var (members, size): ([JSON.Member], Int) = ([], 2)
    for attribute in assertion.attributes where !members.contains(where: { $0.name == attribute.name }) {
      let values = attribute.values.map { JSON.string($0) }
      let member = JSON.Member(attribute.name, values.count == 1 ? values[0] : .array(values))
      let bytes = JSON.object([member]).text().count
      guard size + bytes <= FederatedIdentity.attributesBytesMax else { continue }
      members.append(member)
      size += bytes
    }
    return members.isEmpty ? nil : .object(members)
  }

  // MARK: Sealed form

  /// Returns the user and their visit as JSON, which ``SAMLPages`` seals for the browser to bring back.
  func json(of visit: SAMLPages.Visit, now: Instant) -> JSON {
    var members = [JSON.Member("v", visit.renewed(now).json), JSON.Member("i", .string(identity.pendingText))]
    if let attributes = identity.signInAttributes { members.append(JSON.Member("a", attributes)) }
    if let name = identity.foreign.firstName { members.append(JSON.Member("f", .string(name))) }
    if let name = identity.foreign.lastName { members.append(JSON.Member("l", .string(name))) }
    return .object(members)
  }

  /// Reads the form that ``json(of:now:)`` returns; `nil` when it is invalid.
  static func read(_ json: JSON) -> (SAMLUser, SAMLPages.Visit)? {
    guard let visit = SAMLPages.Visit(json["v"]),
      let identity = FederatedIdentity(
        pending: json["i"]?.string, attributes: json["a"], firstName: json["f"]?.string, lastName: json["l"]?.string)
    else { return nil }
    return (SAMLUser(identity: identity), visit)
  }

  private init(identity: FederatedIdentity) { self.identity = identity }
}
