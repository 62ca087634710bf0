/// A parser of untrusted input, with the name under which it is fuzzed and its corpus is stored.
///
/// Any input ends in a value or in the parser's documented error. A trap is a defect, and so is ``Violation``.
struct Parser: Sendable {
  /// An error for a requirement that the parser does not meet.
  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  let name: String
  let read: @Sendable ([UInt8]) throws -> Void

  static let all: [Parser] =
    dataParsers + clientParsers + requestParsers + rulesParsers + credentialParsers + storageParsers + operatorParsers
    + clusterParsers + passkeyParsers + identityParsers + pageParsers

  static func named(_ name: String) -> Parser? { all.first { $0.name == name } }

  /// Returns the input in pieces, as from a connection or a file. The first byte determines their length.
  static func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    guard let size = bytes.first else { return [] }
    let length = max(1, Int(size))
    return stride(from: 1, to: bytes.count, by: length).map { bytes[$0..<min(bytes.count, $0 + length)] }
  }

  static func require(_ isKept: Bool, _ promise: @autoclosure () -> String) throws(Violation) {
    if !isKept { throw Violation(description: promise()) }
  }
}
