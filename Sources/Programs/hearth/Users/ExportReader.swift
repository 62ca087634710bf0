import HearthTree

/// A reader of an export's accounts one after the other, however long the file is: `{"users": [ … ]}`, or the array
/// alone.
///
/// Only the frame around the accounts is parsed here; each account's text goes to the JSON reader as a whole.
final class ExportReader {
  struct Failure: Error, CustomStringConvertible { var description: String }

  /// The maximum size of an account; one with 1,000 characters of claims and many providers is far below.
  static let userBytesMax = 1 << 20

  private enum State { case start, object, users, end }

  private let input: BufferedFile
  private let path: String
  private var state = State.start
  private var count = 0

  init(path: String) throws {
    self.path = path
    input = try BufferedFile(path: path)
  }

  /// Returns the next account; nil after the last.
  func next() throws -> JSON? {
    if state == .start { try findUsers() }
    guard state == .users else { return nil }
    while let byte = try token() {
      switch byte {
      case UInt8(ascii: ","): continue
      case UInt8(ascii: "]"):
        state = .end
        return nil
      case UInt8(ascii: "{"):
        count += 1
        guard let user = JSON(parsing: try value(startingWith: byte)) else { throw failure("is not JSON") }
        return user
      default: throw failure("is not an object")
      }
    }
    throw failure("is missing: the file is incomplete; export it again")
  }

  private func failure(_ what: String) -> Failure { Failure(description: "\(path): account \(count) \(what)") }

  /// Skips to the first byte after the bracket that opens the accounts.
  private func findUsers() throws {
    switch try token() {
    case UInt8(ascii: "["): state = .users
    case UInt8(ascii: "{"):
      while let byte = try token(), byte != UInt8(ascii: "}") {
        guard byte != UInt8(ascii: ",") else { continue }
        guard byte == UInt8(ascii: "\""), let name = JSON(parsing: try value(startingWith: byte))?.string,
          try token() == UInt8(ascii: ":"), let first = try token()
        else { break }
        if name == "users", first == UInt8(ascii: "[") {
          state = .users
          return
        }
        _ = try value(startingWith: first)
      }
      throw Failure(description: "\(path) has no \"users\" array; is it an export of accounts?")
    default: throw Failure(description: "\(path) is not JSON; for a CSV export use --format csv")
    }
  }

  /// Returns the next byte that is not white space.
  private func token() throws -> UInt8? {
    while let byte = try input.next() {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      default: return byte
      }
    }
    return nil
  }

  /// Returns the bytes of one value, after its first byte was read.
  private func value(startingWith first: UInt8) throws -> [UInt8] {
    var bytes = [first]
    let isContainer = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    var (depth, isInText, isEscaped) = (isContainer ? 1 : 0, first == UInt8(ascii: "\""), false)
    if !isContainer, !isInText { return try bareWord(first) }
    while depth > 0 || isInText {
      guard let byte = try input.next() else { throw failure("is incomplete; export the file again") }
      guard bytes.count < Self.userBytesMax else { throw failure("is longer than \(Self.userBytesMax) bytes") }
      bytes.append(byte)
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return bytes
  }

  /// Returns a number or a word, which ends before the frame's next byte.
  private func bareWord(_ first: UInt8) throws -> [UInt8] {
    var bytes = [first]
    while let byte = try input.peek(), byte > 0x20, !Array(",}]".utf8).contains(byte) {
      guard bytes.count < Self.userBytesMax else { throw failure("is longer than \(Self.userBytesMax) bytes") }
      bytes.append(byte)
      _ = try input.next()
    }
    return bytes
  }
}
