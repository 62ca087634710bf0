import HearthCrypto
import Testing

@testable import HearthAccounts

extension AccountStore {
  /// Returns the error that a body throws, or nil when it throws none.
  func refusal<Value: Sendable>(
    _ body: @escaping @Sendable (inout AccountTransaction) throws(AccountError) -> Value
  ) async -> AccountError.Code? {
    do throws(AccountError) {
      _ = try await transact(body)
      return nil
    } catch {
      return error.code
    }
  }

  /// Expects a body to throw an error with this code, or none when the code is nil.
  func expect<Value: Sendable>(
    _ code: AccountError.Code?, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (inout AccountTransaction) throws(AccountError) -> Value
  ) async {
    let found = await refusal(body)
    #expect(found == code, sourceLocation: sourceLocation)
  }
}

extension Digest {
  /// Returns the digest of a name, for tests that need different ones.
  static func of(_ name: String) -> Digest { Digest(sha256: name.utf8) }
}
