/// Phone numbers in the stored form: E.164.
package enum PhoneNumber {
  /// Refuses a text that is not a plus sign and 2 to 15 digits that do not begin with a zero.
  ///
  /// - Throws: `invalidPhoneNumber`.
  package static func check(_ number: String) throws(AccountError) {
    let digits = number.utf8.dropFirst()
    guard number.utf8.first == UInt8(ascii: "+"), (2...15).contains(digits.count),
      digits.first != UInt8(ascii: "0"),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw AccountError(.invalidPhoneNumber, "Invalid format.") }
  }
}
