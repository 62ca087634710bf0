import HearthTree

/// The author of a commit in the journal, if it is recorded: see ``EngineLimits/recordsAuthors``.
///
/// Its encoding follows the time of the record when bit 6 of the record's kind is set:
///
/// ```
/// author = flags:u8 connection:varint (uid:text)? (provider:text)?
/// text   = length:varint utf8
/// ```
///
/// Bit 0 of the flags means that the uid follows, bit 1 the provider; bit 2 means an administrator, with any `auth`;
/// bits 4 and 5 are the ``AddressClass``. The others are 0.
///
/// Example: the user `u7`, signed in with a password, wrote from a public address, on connection 300.
///
/// ```
/// 33                             a uid, a provider, a public address
/// ac 02                          300
/// 02 75 37                       "u7"
/// 08 70 61 73 73 77 6f 72 64     "password"
/// ```
public struct CommitAuthor: Sendable, Equatable {
  /// The user ID of the credential; for an administrator with an overridden `auth`, the ID in that `auth`. nil when
  /// there was none.
  public var uid: String?
  /// The sign-in provider, such as `password`; nil when the credential names none.
  public var provider: String?
  /// The connection, numbered from the server's start. All one-off requests of one event loop have the same number.
  public var connection: ConnectionID
  /// The class of the client's address.
  public var address: AddressClass
  /// True for an administrator's credential.
  public var isAdministrator: Bool

  /// The most bytes that are stored of a user ID or a provider; longer ones are truncated.
  public static let textBytesMax = 256

  /// Creates an author.
  public init(
    uid: String?, provider: String? = nil, connection: ConnectionID, address: AddressClass = .unknown,
    isAdministrator: Bool = false
  ) {
    self.uid = uid?.bounded(utf8: Self.textBytesMax)
    self.provider = provider?.bounded(utf8: Self.textBytesMax)
    (self.connection, self.address, self.isAdministrator) = (connection, address, isAdministrator)
  }

  /// Creates the author from a principal's credential.
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

  /// Appends the encoded author to `bytes`.
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

  /// Decodes the bytes of ``append(to:)``.
  init(_ cursor: inout ByteCursor) throws {
    let flags = try cursor.byte()
    let known = Self.uidFlag | Self.providerFlag | Self.administratorFlag | 3 << Self.addressShift
    guard flags & ~known == 0, let address = AddressClass(rawValue: flags >> Self.addressShift) else {
      throw RecordError.Problem("unknown flags \(flags) of an author; the record may come from a newer version")
    }
    connection = ConnectionID(rawValue: try cursor.varint())
    uid = flags & Self.uidFlag == 0 ? nil : try cursor.text()
    provider = flags & Self.providerFlag == 0 ? nil : try cursor.text()
    self.address = address
    isAdministrator = flags & Self.administratorFlag != 0
  }
}

extension String {
  /// Returns the text, truncated between characters to at most `bytesMax` bytes of UTF-8.
  func bounded(utf8 bytesMax: Int) -> String {
    guard utf8.count > bytesMax else { return self }
    var text = Substring(self)
    while text.utf8.count > bytesMax { text.unicodeScalars.removeLast() }
    return String(text)
  }
}
