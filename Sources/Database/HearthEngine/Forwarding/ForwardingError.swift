/// An error for bytes that are not a valid forwarded change or answer of this version. Two errors are equal when their
/// offsets are.
package struct ForwardingError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A description for the operator, without the bytes themselves.
  package var message: String
  /// The offset at which decoding stopped.
  package var byteOffset: Int

  package static func == (a: ForwardingError, b: ForwardingError) -> Bool { a.byteOffset == b.byteOffset }

  package var description: String { "a message of another server is malformed at byte \(byteOffset): \(message)" }
}

extension ForwardingError {
  /// Decodes all of the bytes.
  ///
  /// - Parameter read: The decoder; throws `RecordError.Problem` and ``ByteCursor/EndOfBytes``.
  static func reading<Value>(
    _ bytes: some Collection<UInt8>, _ read: (inout ByteCursor) throws -> Value
  ) throws(ForwardingError) -> Value {
    var offset = 0
    do {
      return try Array(bytes).withUnsafeBytes { raw in
        var cursor = ByteCursor(raw)
        defer { offset = cursor.offset }
        let value = try read(&cursor)
        guard cursor.isAtEnd else { throw RecordError.Problem("\(cursor.remaining) bytes are left over") }
        return value
      }
    } catch {
      let message = (error as? RecordError.Problem)?.message ?? "it ends too early"
      throw ForwardingError(message: message, byteOffset: offset)
    }
  }
}
