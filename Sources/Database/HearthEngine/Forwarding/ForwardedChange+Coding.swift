import HearthTree

/// The binary encoding of a forwarded change:
///
/// ```
/// change    = version:u8 address:u8 flags:u8 principal action      version is 1; an address is an ``AddressClass``
/// principal = flags:u8 (auth:text)? (uid:text)?                    auth is JSON
/// action    = 1 write                                              a write
///           | 2 replacing                                          an on-disconnect write
///           | 3 location                                           the cancellation of on-disconnect writes
///           | 4                                                    the principal as the session's identity
///           | 5 text                                               rules to deploy
///           | 6                                                    no change
/// write     = flags:u8 replacing (hash:text)? count:varint path*   the paths are those in the answer
/// replacing = 1 location value                                     one location
///           | 2 path count:varint (location value)*                several locations below a path
/// value     = node depth:varint count:varint (location filled)*    node is a value of ``CommitRecord``
/// filled    = 1                                                    the time
///           | 2 scalar                                             the present number plus this one
/// location  = isPriority:u8 path                                   0 or 1
/// path      = count:varint text*
/// text      = length:varint utf8
/// ```
///
/// Bit 0 of the change's flags means that the answer contains the written data. Bits 0 to 5 of the principal's flags
/// mean that it has an auth, that it has a uid, that it is an administrator's, that it is overridden, that it requests
/// explanations, and that it is read-only. Bit 0 of the write's flags means that it has a hash to compare with, bit 1
/// that it fires triggers.
///
/// Example: a signed-out client, over a public address, deletes `/a`.
///
/// ```
/// 01 03 00        version 1, a public address, no answer beyond the outcome
/// 00              signed out
/// 01              a write
///   02              it fires triggers
///   01              one location
///     00 01 01 61     the value at one key, "a"
///     00 00 00        a removal, of no depth, without server values
///   00              no paths in the answer
/// ```
extension ForwardedChange {
  private static let version: UInt8 = 1
  private static let showsResultFlag: UInt8 = 1

  /// The encoding that ``init(encoded:)`` decodes.
  package var encoded: [UInt8] {
    var bytes = [Self.version, address.rawValue, showsResult ? Self.showsResultFlag : 0]
    principal.append(to: &bytes)
    switch action {
    case .write(let operation):
      bytes.append(1)
      operation.append(to: &bytes)
    case .onDisconnect(let change):
      bytes.append(2)
      change.append(to: &bytes)
    case .cancelOnDisconnect(let location):
      bytes.append(3)
      bytes.append(forwarded: location)
    case .authenticate: bytes.append(4)
    case .deployRules(let source):
      bytes.append(5)
      bytes.append(sized: source)
    case .barrier: bytes.append(6)
    }
    return bytes
  }

  /// Decodes a change.
  package init(encoded: some Collection<UInt8>) throws(ForwardingError) {
    self = try ForwardingError.reading(encoded) { cursor in
      let version = try cursor.byte()
      guard version == Self.version else { throw RecordError.Problem("unknown version \(version) of a change") }
      guard let address = AddressClass(rawValue: try cursor.byte()) else {
        throw RecordError.Problem("unknown class of addresses")
      }
      let flags = try cursor.flags(Self.showsResultFlag)
      let principal = try Principal(forwarded: &cursor)
      return ForwardedChange(
        try Action(&cursor), as: principal, from: address, showsResult: flags & Self.showsResultFlag != 0)
    }
  }
}

extension ForwardedChange.Action {
  fileprivate init(_ cursor: inout ByteCursor) throws {
    switch try cursor.byte() {
    case 1: self = .write(try WriteOperation(forwarded: &cursor))
    case 2: self = .onDisconnect(try WriteOperation.Change(forwarded: &cursor))
    case 3: self = .cancelOnDisconnect(try cursor.forwardedLocation())
    case 4: self = .authenticate
    case 5: self = .deployRules(try cursor.text())
    case 6: self = .barrier
    case let kind: throw RecordError.Problem("unknown kind \(kind) of action")
    }
  }
}

extension Principal {
  private static let authFlag: UInt8 = 1
  private static let userFlag: UInt8 = 2
  private static let administratorFlag: UInt8 = 4
  private static let overrideFlag: UInt8 = 8
  private static let debuggingFlag: UInt8 = 16
  private static let readOnlyFlag: UInt8 = 32

  fileprivate func append(to bytes: inout [UInt8]) {
    var flags: UInt8 = 0
    if auth != nil { flags |= Self.authFlag }
    if uid != nil { flags |= Self.userFlag }
    if isAdministrator { flags |= Self.administratorFlag }
    if isOverridden { flags |= Self.overrideFlag }
    if isDebugging { flags |= Self.debuggingFlag }
    if isReadOnly { flags |= Self.readOnlyFlag }
    bytes.append(flags)
    if let auth {
      let text = auth.text()
      bytes.append(varint: UInt64(text.count))
      bytes += text
    }
    if let uid { bytes.append(sized: uid) }
  }

  fileprivate convenience init(forwarded cursor: inout ByteCursor) throws {
    let flags = try cursor.flags(63)
    var auth: JSON?
    if flags & Self.authFlag != 0 {
      guard let found = JSON(parsing: try cursor.sized()) else { throw RecordError.Problem("auth is not JSON") }
      auth = found
    }
    let uid = flags & Self.userFlag == 0 ? nil : try cursor.text()
    self.init(
      auth: auth, isAdministrator: flags & Self.administratorFlag != 0, isOverridden: flags & Self.overrideFlag != 0,
      isReadOnly: flags & Self.readOnlyFlag != 0, uid: uid, isDebugging: flags & Self.debuggingFlag != 0)
  }
}
