import HearthTree
import RandomTestKit
import Testing

@Suite("Numbers in JSON") struct JSONNumberTests {
  /// Number texts, with the kind of the parsed value and the text to which it is encoded.
  @Test(
    "Numbers are integers of 64 bits or doubles",
    arguments: [
      ("0", Scalar.int(0), "0"), ("-0", .int(0), "0"), ("-0.0", .double(0), "0"), ("0e5", .double(0), "0"),
      ("5", .int(5), "5"), ("5.0", .double(5), "5"), ("5e0", .double(5), "5"), ("-17", .int(-17), "-17"),
      ("1.5", .double(1.5), "1.5"), ("0.1", .double(0.1), "0.1"), ("1e3", .double(1000), "1000"),
      ("9007199254740993", .int(9_007_199_254_740_993), "9007199254740993"),
      ("9007199254740992.0", .double(9_007_199_254_740_992), "9007199254740992"),
      ("9007199254740994.0", .double(9_007_199_254_740_994), "9.007199254740994e+15"),
      ("9223372036854775807", .int(.max), "9223372036854775807"),
      ("-9223372036854775808", .int(.min), "-9223372036854775808"),
      ("9223372036854775808", .double(9.223372036854775808e18), "9.223372036854776e+18"),
      ("-9223372036854775809", .double(-9.223372036854775808e18), "-9.223372036854776e+18"),
      ("18446744073709551615", .double(1.8446744073709552e19), "1.8446744073709552e+19"),
      ("111111111111111111111", .double(1.1111111111111111e20), "1.1111111111111111e+20"),
      ("1e22", .double(1e22), "1e+22"), ("1e23", .double(1e23), "1e+23"),
      ("5e-324", .double(.leastNonzeroMagnitude), "5e-324"),
      ("2e-324", .double(0), "0"), ("1e-400", .double(0), "0"), ("-1e-400", .double(0), "0"),
      ("2.2250738585072011e-308", .double(Double.leastNormalMagnitude.nextDown), "2.225073858507201e-308"),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
      ("0.000001", .double(0.000001), "1e-06"), ("4.5623", .double(4.5623), "4.5623"),
    ]) func areIntegersOf64BitsOrDoubles(text: String, scalar: Scalar, written: String) throws
  {
    let read = try JSONSample.read(text) { try $0.number() }
    switch (read, scalar) {
    case (.int(let a), .int(let b)): #expect(a == b)
    case (.double(let a), .double(let b)): #expect(a.bitPattern == b.bitPattern)
    default: Issue.record("\(text) is read as \(read)")
    }
    #expect(JSONSample.export(Node(read)) == written)
  }

  @Test("A number has up to a thousand digits") func mayHaveATextOfAThousandDigitsButNotMore() throws {
    let digits = String(repeating: "1", count: 1024)
    #expect(throws: JSONError.self) { try JSONSample.read(digits) { try $0.number() } }
    #expect(try JSONSample.read("0." + digits.dropLast(2)) { try $0.number() } == .double(0.1111111111111111))
    let error = JSONSample.error(Array(("0." + digits).utf8)) { _ = try $0.number() }
    #expect(error?.code == .numberOutOfRange)
  }

  @Test("Numbers are rounded correctly, and encoded so that parsing returns the same number")
  func areRoundedCorrectlyAndWrittenSoThatTheyComeBack() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let text = JSONSample.export(Node(.double(value)))
      #expect(try JSONSample.read(text) { try $0.number() } == .double(value))
    }
    for _ in 0..<20_000 {
      let digits = String(random.next() >> UInt64.random(in: 0..<64, using: &random))
      let place = Int.random(in: 0...digits.utf8.count, using: &random)
      let exponent = Int.random(in: -40...40, using: &random)
      let text = "0\(digits.prefix(place).drop { $0 == "0" })".drop { $0 == "0" }
      let whole = text.isEmpty ? "0" : String(text)
      let number = "\(whole).\(digits.dropFirst(place))0e\(exponent)"
      #expect(try JSONSample.read(number) { try $0.number() }.number == Double(number), "\(number)")
    }
  }

  @Test("Numbers that JSON cannot express are encoded as null") func thatJSONCannotHoldAreWrittenAsNull() {
    #expect(JSON.array([.double(.infinity), .double(.nan)]).text() == Array("[null,null]".utf8))
  }
}
