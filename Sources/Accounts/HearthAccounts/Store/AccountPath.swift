import HearthBytes
import HearthCrypto
import HearthTree

/// The paths of the accounts' records in their tree.
///
/// ```
/// users/UID                     a user                         sessions/HASH           a session
/// emails/ADDRESS                the uid that has it            userSessions/UID/HASH   last use, in seconds
/// phones/NUMBER                 the uid that has it            tickets/HASH            a ticket
/// identities/SHA-256            the uid that has it            userTickets/UID/HASH    its creation, in seconds
/// passkeys/SHA-256              the uid that has it            emailTickets/ADDRESS/HASH   the same, without a user
/// deleted/UID                   the cutoff of its tokens       identityEmails/ADDRESS/UID  the uid of a user with
///                                                              the address at another provider
/// serviceAccounts/ADDRESS       a service account              endings/KIND/SECONDS-NAME   true: when it expires
/// importKeys/ID                 a sealed key                   audit/SEQUENCE          one record of the trail
/// locks/NAME                    a lock                         auditHead               the ends of the trail
/// latest                        the latest second that was     generationFloor         the lower bound of new
///                               seen on the clock                                      accounts' generations
/// blockingFunctions             the functions that were set while the server ran
/// configurationChanges          the other changes of the configuration while it ran
/// migrated/SHA-256              of an address whose account came from another system: the second of the migration
/// providers/ID                  a provider that an administrator set up
/// happenings                    the accounts that the last change created or deleted, for events
/// tenants/ID/settings           a tenant
/// tenants/ID/…                  the records of its accounts, laid out like these
/// endedTenants/ID               true: the id is never used again
/// ```
///
/// A record is one leaf: the text of a JSON object. HASH is a SHA-256 in hexadecimal, SECONDS and SEQUENCE are 16
/// hexadecimal digits, so that the tree's order is theirs.
enum AccountPath {
  static let users = Path("users")
  static let deleted = Path("deleted")
  static let emails = Path("emails")
  static let migrated = Path("migrated")
  static let phones = Path("phones")
  static let identities = Path("identities")
  static let identityEmails = Path("identityEmails")
  static let passkeys = Path("passkeys")
  static let sessions = Path("sessions")
  static let userSessions = Path("userSessions")
  static let tickets = Path("tickets")
  static let userTickets = Path("userTickets")
  static let emailTickets = Path("emailTickets")
  static let phoneTickets = Path("phoneTickets")
  static let serviceAccounts = Path("serviceAccounts")
  static let importKeys = Path("importKeys")
  static let locks = Path("locks")
  static let expiries = Path("endings")
  static let audit = Path("audit")
  static let auditHead = Path("auditHead")
  static let latest = Path("latest")
  static let blockingFunctions = Path("blockingFunctions")
  static let configurationChanges = Path("configurationChanges")
  static let generationFloor = Path("generationFloor")
  static let accountEvents = Path("happenings")
  static let providers = Path("providers")
  static let tenants = Path("tenants")
  /// The settings' name below a tenant.
  static let settings = Path("settings")

  static func user(_ uid: String) -> Path { users.appending(key(uid)) }
  static func deleted(_ uid: String) -> Path { deleted.appending(key(uid)) }
  static func email(_ address: String) -> Path { emails.appending(key(address)) }
  static func migrated(_ address: String) -> Path { migrated.appending(Key(Digest(sha256: address.utf8).hex)) }
  static func phone(_ number: String) -> Path { phones.appending(key(number)) }

  static func identity(_ providerID: String, _ rawID: String) -> Path {
    // The length of the first part is included, so that no two pairs have the same key.
    let text = "\(providerID.utf8.count):\(providerID)\(rawID)"
    return identities.appending(Key(Digest(sha256: text.utf8).hex))
  }

  static func identityEmail(_ address: String) -> Path { identityEmails.appending(key(address)) }
  static func passkey(_ id: String) -> Path { passkeys.appending(Key(Digest(sha256: id.utf8).hex)) }
  static func provider(_ id: String) -> Path { providers.appending(key(id)) }
  static func tenant(_ id: String) -> Path { tenants.appending(key(id)) }
  static func tenantSettings(_ id: String) -> Path { tenant(id).appending(settings) }
  static func endedTenant(_ id: String) -> Path { Path("endedTenants").appending(key(id)) }
  static func session(_ hash: Digest) -> Path { sessions.appending(Key(hash.hex)) }
  static func ticket(_ hash: Digest) -> Path { tickets.appending(Key(hash.hex)) }
  static func serviceAccount(_ email: String) -> Path { serviceAccounts.appending(key(email)) }
  static func importKey(_ id: String) -> Path { importKeys.appending(key(id)) }
  static func lock(_ name: String) -> Path { locks.appending(key(name)) }
  static func audit(_ sequence: Int64) -> Path { audit.appending(Key(hexadecimal(sequence))) }

  static func expiry(_ kind: ExpiryKind, _ seconds: Int64, _ name: Key) -> Path {
    expiries(kind).appending(Key("\(hexadecimal(seconds))-\(name.text)"))
  }

  static func expiries(_ kind: ExpiryKind) -> Path { expiries.appending(Key(kind.rawValue)) }

  /// Formats 16 digits; negative numbers become 0.
  static func hexadecimal(_ number: Int64) -> String {
    Hexadecimal.text(UInt64(max(0, number)))
  }

  /// Returns a key for any text: characters that keys cannot have become `%` and two hexadecimal digits, the empty text
  /// `%`, and a text that would be too long `%%` and its SHA-256. No two texts share a key.
  static func key(_ text: String) -> Key {
    guard !text.isEmpty else { return "%" }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0..<0x20, 0x7F, UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "#"), UInt8(ascii: "["),
        UInt8(ascii: "]"), UInt8(ascii: "/"), UInt8(ascii: "%"):
        bytes.append(UInt8(ascii: "%"))
        bytes.append(contentsOf: [digit(byte >> 4), digit(byte & 15)])
      default: bytes.append(byte)
      }
    }
    guard bytes.count <= DataLimits.keySizeBytesMax else { return Key("%%" + Digest(sha256: text.utf8).hex) }
    return Key(String(decoding: bytes, as: UTF8.self))
  }

  /// The text of a key; nil when the text was too long, and for a key that ``key(_:)`` does not make.
  static func text(_ key: Key) -> String? {
    let escaped = Array(key.text.utf8)
    if escaped == [UInt8(ascii: "%")] { return "" }
    var bytes: [UInt8] = []
    var i = 0
    while i < escaped.count {
      guard escaped[i] == UInt8(ascii: "%") else {
        bytes.append(escaped[i])
        i += 1
        continue
      }
      guard i + 2 < escaped.count, let high = value(escaped[i + 1]), let low = value(escaped[i + 2]) else { return nil }
      bytes.append(high << 4 | low)
      i += 3
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}

/// The kinds of record with an end time.
enum ExpiryKind: String, CaseIterable {
  case sessions, tickets, locks
}
