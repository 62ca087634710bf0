import HearthTree

/// Who made a commit, as far as the journal is told: see ``EngineLimits/recordsAuthors``.
///
/// The record has it behind its time, when bit 6 of its kind is set:
///
/// ```
/// author = flags:u8 connection:varint (uid:text)? (provider:text)?
/// text   = length:varint utf8
/// ```
///
/// Bit 0 of the flags says that the uid follows, bit 1 the provider; bit 2 that it was an administrator, whoever they acted
/// as; bits 4 and 5 are the ``AddressClass``. The others are 0.
///
/// Example: the user `u7`, who had signed in with a password, wrote from a public address, by the connection 300.
///
/// ```
/// 33                             a uid, a provider, a public address
/// ac 02                          300
/// 02 75 37                       "u7"
/// 08 70 61 73 73 77 6f 72 64     "password"
/// ```
public struct CommitAuthor: Sendable, Equatable {
  /// The user id of the credential; for an administrator who acted as a user, that user's. Nil when there was none.
  public var uid: String?
  /// How they had signed in, such as `password`; nil when the credential does not say.
  public var provider: String?
  /// The connection, counted by the server since its start; the same for all one-off requests of an event loop.
  public var connection: ConnectionID
  /// The place where they were.
  public var address: AddressClass
  /// The credential was an administrator's.
  public var isAdministrator: Bool

  /// Bytes of a uid or a provider that are kept; of longer ones the beginning.
  public static let textBytesMax = 256

  /// An author of these parts.
  public init(
    uid: String?, provider: String? = nil, connection: ConnectionID, address: AddressClass = .unknown,
    isAdministrator: Bool = false
  ) {
    self.uid = uid?.bounded(utf8: Self.textBytesMax)
    self.provider = provider?.bounded(utf8: Self.textBytesMax)
    (self.connection, self.address, self.isAdministrator) = (connection, address, isAdministrator)
  }

  /// What a principal's credential says.
  init(_ principal: Principal, connection: ConnectionID, address: AddressClass) {
    let token = principal.auth?["token"]
    let provider = token?["firebase"]?["sign_in_provider"]?.string ?? principal.auth?["provider"]?.string
    self.init(
      uid: principal.uid, provider: provider, connection: connection, address: address,
      isAdministrator: principal.isAdministrator || principal.isOverridden)
  }

  private static let uidFlag: UInt8 = 1
  private static let providerFlag: UInt8 = 2
  private static let administratorFlag: UInt8 = 4
  private static let addressShift: UInt8 = 4

  /// Writes it behind what is in `bytes`.
  func append(to bytes: inout [UInt8]) {
    var flags = address.rawValue << Self.addressShift
    if uid != nil { flags |= Self.uidFlag }
    if provider != nil { flags |= Self.providerFlag }
    if isAdministrator { flags |= Self.administratorFlag }
    bytes.append(flags)
    bytes.append(varint: connection.rawValue)
    if let uid { bytes.append(sized: uid) }
    if let provider { bytes.append(sized: provider) }
  }

  /// Reads what ``append(to:)`` wrote.
  init(_ cursor: inout ByteCursor) throws {
    let flags = try cursor.byte()
    let known = Self.uidFlag | Self.providerFlag | Self.administratorFlag | 3 << Self.addressShift
    guard flags & ~known == 0, let address = AddressClass(rawValue: flags >> Self.addressShift) else {
      throw RecordError.Problem("an unknown author's flags \(flags); it may come from a newer version")
    }
    connection = ConnectionID(rawValue: try cursor.varint())
    uid = flags & Self.uidFlag == 0 ? nil : try cursor.text()
    provider = flags & Self.providerFlag == 0 ? nil : try cursor.text()
    self.address = address
    isAdministrator = flags & Self.administratorFlag != 0
  }
}

extension String {
  /// The text, or as much of its beginning as so many bytes hold, cut between characters.
  func bounded(utf8 bytesMax: Int) -> String {
    guard utf8.count > bytesMax else { return self }
    var text = Substring(self)
    while text.utf8.count > bytesMax { text.unicodeScalars.removeLast() }
    return String(text)
  }
}
