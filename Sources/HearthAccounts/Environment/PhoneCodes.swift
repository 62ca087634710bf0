/// The codes that an emulator shows instead of sending them, in the order in which they were made.
package struct PhoneCodes: Sendable {
  /// A code that was "sent".
  package struct Code: Sendable, Equatable {
    /// E.164.
    package let phoneNumber: String
    /// What the client shows again beside the code.
    package let sessionInfo: String
    /// Six digits.
    package let code: String
  }

  /// A number that was proven while it belongs to another account: its client may sign in to that one with it.
  struct Proof: Sendable, Equatable {
    var phoneNumber: String
    var text: String
  }

  /// Codes, and proofs, that are kept; a suite looks at the last ones.
  static let countMax = 1_000

  /// The codes that were not used yet, the oldest first.
  package private(set) var codes: [Code] = []
  private(set) var proofs: [Proof] = []

  mutating func add(_ code: Code) {
    if codes.count >= Self.countMax { codes.removeFirst() }
    codes.append(code)
  }

  mutating func add(_ proof: Proof) {
    if proofs.count >= Self.countMax { proofs.removeFirst() }
    proofs.append(proof)
  }

  func knows(_ sessionInfo: String) -> Bool { codes.contains { $0.sessionInfo.isSameText(as: sessionInfo) } }

  /// Uses a code up.
  ///
  /// - Returns: the number that it proves.
  mutating func take(_ sessionInfo: String, code: String) throws(AccountError) -> String {
    guard let place = codes.firstIndex(where: { $0.sessionInfo.isSameText(as: sessionInfo) }) else {
      throw AccountError(.invalidSessionInfo)
    }
    guard codes[place].code.isSameText(as: code) else { throw AccountError(.invalidCode) }
    return codes.remove(at: place).phoneNumber
  }

  func proves(_ phoneNumber: String, _ text: String) -> Bool {
    proofs.contains { $0.text.isSameText(as: text) && $0.phoneNumber.isSameText(as: phoneNumber) }
  }
}
