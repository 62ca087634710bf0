/// Texts that are valid or invalid JSON by the grammar of RFC 8259, one case on each line.
///
/// Bytes above 0x7E are written as `<XX>`; each line is a text with the reason for the case.
enum JSONTable {
  static let accepted: [(text: String, reason: String)] = [
    ("null", "a bare literal"), ("true", "a bare literal"), ("false", "a bare literal"),
    ("0", "zero"), ("-0", "negative zero"), ("-0.0", "negative zero"), ("1", "a digit"), ("-1", "a sign"),
    ("1.0", "a fraction"), ("1e5", "an exponent"), ("1E5", "a capital exponent"), ("1e+5", "a signed exponent"),
    ("1e-5", "a negative exponent"), ("0e0", "zero with exponent"), ("0.1", "below one"),
    ("1e-400", "too small for a double is zero"), ("9223372036854775807", "the largest integer"),
    ("-9223372036854775808", "the smallest integer"), ("9223372036854775808", "one more is a double"),
    ("123456789012345678901234567890", "far more is a double"), ("1.7976931348623157e308", "the largest double"),
    ("5e-324", "the smallest double"), ("0.000000000000000000000000000000000000000001", "leading zeros of a fraction"),
    (#""""#, "no characters"), (#""a""#, "a character"), (#""\"\\\/\b\f\n\r\t""#, "every short escape"),
    (#""\u0041""#, "an escape"), (#""\u00e9\u00E9""#, "both cases of hexadecimal"), (#""\u0000""#, "NUL as an escape"),
    (#""\ud83d\udc35""#, "a surrogate pair"), (#""\uFFFF\uFFFE""#, "noncharacters"), (#""<7F>""#, "DEL is no control"),
    (#""<C3><A9>""#, "two bytes"), (#""<E2><9C><94>""#, "three bytes"), (#""<F0><9F><90><B5>""#, "four bytes"),
    (#""<EF><BF><BF>""#, "U+FFFF"), (#""<F4><8F><BF><BF>""#, "the last code point"),
    (#""<ED><9F><BF><EE><80><80>""#, "around the surrogates"), (#""<E2><80><A8>""#, "a line separator"),
    ("[]", "no elements"), ("[ ]", "space inside"), ("[1]", "an element"), ("[1 , 2]", "space around a comma"),
    ("[[],{},[[]]]", "containers inside"), ("{}", "no members"), ("{ }", "space inside"), (#"{"a":1}"#, "a member"),
    (#"{ "a" : 1 , "b" : 2 }"#, "space everywhere"), (#"{"a":1,"a":2}"#, "a repeated name"),
    (" \t\r\n1\n ", "space around the value"), (#"{"a":{"b":{"c":[]}}}"#, "nothing in the end"),
  ]

  static let refused: [(text: String, code: String, reason: String)] = [
    ("", "unexpected-end", "no text"), ("  ", "unexpected-end", "only space"), ("nul", "unexpected-end", "cut off"),
    ("nulx", "unexpected-byte", "misspelt"), ("Null", "unexpected-byte", "capitals"),
    ("undefined", "unexpected-byte", "not JSON"), ("NaN", "unexpected-byte", "not JSON"),
    ("Infinity", "unexpected-byte", "not JSON"), ("-Infinity", "unexpected-byte", "not JSON"),
    ("+1", "unexpected-byte", "a plus sign"), ("01", "unexpected-byte", "a leading zero"),
    ("-01", "unexpected-byte", "a leading zero"), ("00", "unexpected-byte", "a leading zero"),
    (".5", "unexpected-byte", "no digit before the point"), ("-.5", "unexpected-byte", "no digit before the point"),
    ("1.", "unexpected-end", "no digit after the point"), ("1.e1", "unexpected-byte", "no digit after the point"),
    ("1e", "unexpected-end", "no exponent"), ("1e+", "unexpected-end", "no exponent"),
    ("1ex", "unexpected-byte", "no exponent"), ("-", "unexpected-end", "only a sign"),
    ("--1", "unexpected-byte", "two signs"), ("0x10", "trailing-bytes", "hexadecimal"),
    ("1_000", "trailing-bytes", "an underscore"), ("1 2", "trailing-bytes", "two values"),
    ("1e400", "number-out-of-range", "more than a double"), ("-1e400", "number-out-of-range", "less than a double"),
    ("1e99999999999999999999", "number-out-of-range", "an exponent beyond integers"),
    ("'a'", "unexpected-byte", "single quotes"), (#"""#, "unexpected-end", "no end"),
    (#""a"#, "unexpected-end", "no end"),
    (#""a\"#, "unexpected-end", "an escape cut off"), (#""\u12"#, "unexpected-end", "an escape cut off"),
    (#""\x41""#, "invalid-escape", "an unknown escape"), (#""\u12G4""#, "invalid-escape", "no hexadecimal"),
    (#""\U0041""#, "invalid-escape", "a capital U"), (#""\ud800""#, "invalid-escape", "half a pair"),
    (#""\udc00""#, "invalid-escape", "the other half"), (#""\ud800x""#, "invalid-escape", "half a pair"),
    (#""\ud800\n12345""#, "invalid-escape", "half a pair and an escape"),
    (#""\ud800\ud800""#, "invalid-escape", "two first halves"),
    (#""\udc00\ud800""#, "invalid-escape", "a pair reversed"),
    ("\"a\nb\"", "unexpected-byte", "a line break inside"), ("\"a\tb\"", "unexpected-byte", "a tabulator inside"),
    (#""<00>""#, "unexpected-byte", "NUL itself"), (#""<1F>""#, "unexpected-byte", "a control character"),
    (#""<80>""#, "invalid-utf8", "a continuation alone"), (#""<C3>""#, "invalid-utf8", "a lead alone"),
    (#""<C0><AF>""#, "invalid-utf8", "two bytes for one"), (#""<C1><BF>""#, "invalid-utf8", "two bytes for one"),
    (#""<E0><9F><BF>""#, "invalid-utf8", "three bytes for two"),
    (#""<F0><8F><BF><BF>""#, "invalid-utf8", "four for three"),
    (#""<ED><A0><80>""#, "invalid-utf8", "a surrogate as UTF-8"), (#""<ED><BF><BF>""#, "invalid-utf8", "a surrogate"),
    (#""<F4><90><80><80>""#, "invalid-utf8", "beyond Unicode"),
    (#""<F5><80><80><80>""#, "invalid-utf8", "beyond Unicode"),
    (#""<FF>""#, "invalid-utf8", "never UTF-8"), (#""<E2><82>"#, "invalid-utf8", "cut off"),
    (#""<E2>x<82>""#, "invalid-utf8", "broken up"), (#""<F0><9F><90>x""#, "invalid-utf8", "broken up"),
    ("<EF><BB><BF>1", "unexpected-byte", "a byte order mark"), ("[", "unexpected-end", "no end"),
    ("[1", "unexpected-end", "no end"), ("[1,", "unexpected-end", "no end"),
    ("[1,]", "unexpected-byte", "a last comma"),
    ("[,1]", "unexpected-byte", "a first comma"), ("[1 2]", "unexpected-byte", "no comma"),
    ("[1}", "unexpected-byte", "the wrong end"), ("]", "unexpected-byte", "no start"),
    ("[]]", "trailing-bytes", "two ends"),
    ("{", "unexpected-end", "no end"), (#"{"a"}"#, "unexpected-byte", "no value"),
    (#"{"a":}"#, "unexpected-byte", "no value"),
    (#"{"a":1,}"#, "unexpected-byte", "a last comma"), (#"{,"a":1}"#, "unexpected-byte", "a first comma"),
    (#"{a:1}"#, "unexpected-byte", "a name without quotes"), (#"{1:1}"#, "unexpected-byte", "a number as a name"),
    (#"{"a":1 "b":2}"#, "unexpected-byte", "no comma"), (#"{"a":1]"#, "unexpected-byte", "the wrong end"),
    (#"{"a":1,,"b":2}"#, "unexpected-byte", "two commas"), (#"{"a" 1}"#, "unexpected-byte", "no colon"),
    (#"{"a"::1}"#, "unexpected-byte", "two colons"), ("/* a */ 1", "unexpected-byte", "a comment"),
    ("1 // a", "trailing-bytes", "a comment"), ("<0C>1", "unexpected-byte", "a form feed is no space"),
    ("1<00>", "trailing-bytes", "NUL after the value"),
  ]

  /// Returns the bytes of a text in the table.
  static func bytes(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      let digits = rest.dropFirst().prefix(2)
      if byte == UInt8(ascii: "<"), rest.dropFirst(3).first == UInt8(ascii: ">"),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(4)
      } else {
        bytes.append(byte)
        rest = rest.dropFirst()
      }
    }
    return bytes
  }
}
