import Testing

@testable import HearthTree

@Suite("The simple hash") struct HashTests {
  /// Values whose hash the protocol defines.
  static let known: [(json: String, hash: String)] = [
    ("null", ""),
    (#""""#, "Ki0Xy0V6morg0TO3Sxi/jwugYDQ="),
    ("true", "E5z61QM0lN/U2WsOnusszCTkR8M="),
    ("false", "aSSNoqcS4oQwJ2xxH20rvpp3zP0="),
    ("0", "7ysMph9WPitGP7poMnMHMVPtUlI="),
    ("1", "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="),
    ("-1", "dMw8oUBNk57KCeIcgAKXVS2BfB0="),
    ("4", "eVih19a6ZDz3NL32uVBtg9KSgQY="),
    ("1.5", "4MftviR9Z/2MQCMkjh2RNbvlLJc="),
    ("4.5623", "vf1CL0tIRwXXunHcG/irRECk3lY="),
    ("500", "Ajg9bohDwTVmqR14o1bVJnneryM="),
    ("1795223998080", "iU4Ze8zkjGv+sWfqwhp9sofeqb0="),
    (#""hey guys""#, "CUNLXWpCVoJE6z7z1vE57lGaKAU="),
    (#""Hello World""#, "B8HWXc7zXMjrsnJxPRj7wrNGqt4="),
    (#""unicode ✔ 🐵""#, "X/whgTb1AotIG4QdQJRUpjPLPEI="),
    (#"{".value":"primitive",".priority":200}"#, "R9u8hs9fhRzuQ2M/3BQ0uhxz5ys="),
    (#"{".value":42,".priority":"high"}"#, "d/2FMFWchvDsa06RLXZhzvM9aQc="),
    (#"{".value":true,".priority":0}"#, "I6km7S4iTXNEdCUVelqkkn9WdX4="),
    (#"{"foo":"bar"}"#, "XnLeTeWQmzTHImTbSMDLg/qMrKY="),
    (#"{"a":{"b":1}}"#, "TFYkRWOGGqbsuQggDSEHlfj3bSI="),
    (#"{"a":1}"#, "gIphxiFGusLh2VwSNVKSvNu90m4="),
    (#"{"a":1,"e":{},"n":null}"#, "gIphxiFGusLh2VwSNVKSvNu90m4="),
    (
      #"{"intNode":4,"doubleNode":4.5623,"stringNode":"hey guys","boolNode":true}"#, "6Mc4jFmNdrLVIlJJjz2/MakTK9I="
    ),
    (#"{"1":"one","2":"two","10":"ten"}"#, "aEa7HuRrp4CAiySog3hGyyeF8qc="),
    (#"["one","two"]"#, "n3FqpUQcI8OsyNeD0bOA38vwoqw="),
    (#"{"b":"x","a":"y","-5":"n","01":"z","1":"o"}"#, "19430G2/mBSL0c2x7HuKERRNtGw="),
    (#"{"root":{"c":{".value":99,".priority":"abc"},".priority":"def"}}"#, "Fm6tzN4CVEu5WxFDZUdTtqbTVaA="),
    (#"{"root":{"c":{".value":99,".priority":42},".priority":3.14}}"#, "B15QCqrzCxrI5zz1y00arWqFRFg="),
    (#"{"someKey":"value",".priority":"high"}"#, "/KquMIGoCuKO/ipoLoQzqnU0BcI="),
    (#"{"someKey":"value",".priority":128.256}"#, "WYR8kBGna+a7E5x75zvhPhzACOQ="),
    (#"{"a":{".value":1,".priority":2},"b":{".value":2,".priority":1}}"#, "/3lk7Vfl5OYG6Kw2SkiPXNeExPw="),
    (#"{"a":{".value":1,".priority":2},"b":2}"#, "VBGqiqnfnbb6FDSo9ahjXzMRXt0="),
    ("9007199254740991", "zP1cy9AKj8mOJfzxsijijNJ8QdY="),
  ]

  @Test("The hash agrees with the SDKs' hash", arguments: known) func isWhatClientsCompute(json: String, hash: String)
    throws
  {
    let node = try JSONSample.node(json)
    #expect(node.simpleHash() == hash)
    #expect(node.accepts(hash: hash))
  }

  @Test("Is the same for an integer and its double") func isTheSameForAnIntegerAndItsDouble() throws {
    #expect(try JSONSample.node("5").simpleHash() == JSONSample.node("5.0").simpleHash())
    #expect(try JSONSample.node("-0").simpleHash() == JSONSample.node("0").simpleHash())
  }

  @Test("Distinguishes canonically equivalent texts") func tellsApartWhatUnicodeCallsEqual() throws {
    let (composed, decomposed) = (Node(.string("\u{E9}")), Node(.string("e\u{301}")))
    #expect(composed.simpleHash() != decomposed.simpleHash())
  }

  @Test("Refuses texts that are not the value's hash") func refusesWhatIsNotTheValueHash() throws {
    let node = try JSONSample.node(#"{"a":1}"#)
    for hash in ["", "x", "gIphxiFGusLh2VwSNVKSvNu90m5=", "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="] {
      #expect(!node.accepts(hash: hash))
    }
    #expect(!Node.empty.accepts(hash: "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="))
    #expect(Node.empty.accepts(hash: ""))
  }

  @Test("Orders numbers before strings among priorities") func ordersNumbersBeforeStringsAmongPriorities() throws {
    // 10 before "9": numbers first; the keys alone would say otherwise
    let node = try JSONSample.node(
      #"{"a":{".value":1,".priority":"9"},"b":{".value":1,".priority":10},"c":{".value":1,".priority":9.5},"d":1}"#)
    var text = SimpleHash.Text(endsAtNUL: false)
    for key: Key in ["d", "c", "b", "a"] {
      text.add(":")
      text.add(key.text)
      text.add(":")
      text.add(node.child(key).simpleHash())
    }
    #expect(text.sha.finish().base64 == node.simpleHash())
  }

  @Test("Goes through large nodes in priority order") func goesThroughLargeNodesInPriorityOrder() throws {
    let members = (1_000..<2_000).map { #""k\#($0)":{".value":"v",".priority":\#(5_000 - $0)}"# }
    let text = "{" + members.joined(separator: ",") + "}"
    let node = try JSONSample.node(text)
    var expected = SimpleHash.Text(endsAtNUL: false)
    for i in (1_000..<2_000).reversed() {
      expected.add(":k\(i):" + node.child(Key("k\(i)")).simpleHash())
    }
    #expect(node.simpleHash() == expected.sha.finish().base64)
  }
}

@Suite("Hashes that clients get wrong") struct HashVariantTests {
  @Test("JavaScript's encoding of the largest safe integer is accepted")
  func javascriptEncodingOfTheLargestSafeIntegerIsAccepted() throws {
    let node = try JSONSample.node("9007199254740991")
    #expect(9_007_199_254_740_991.0.javaScriptBits == 0x4340_0000_0000_0000)
    #expect(node.accepts(hash: "m4qsp/5BbIWTdjthNlnOX+WCTB0="))
    #expect(try !JSONSample.node("9007199254740992.5").accepts(hash: "zP1cy9AKj8mOJfzxsijijNJ8QdY="))
  }

  /// Bits that a JavaScript engine computed with the clients' way of encoding.
  @Test(
    "Numbers next to a power of two are encoded exactly",
    arguments: [
      (3.9999999999999996, 0x4010_0000_0000_0000), (1_125_899_906_842_623, 0x431F_FFFF_FFFF_FFFC),
      (9_007_199_254_740_990, 0x434F_FFFF_FFFF_FFFF), (9_007_199_254_740_989, 0x434F_FFFF_FFFF_FFFF),
      (-9_007_199_254_740_991, 0xC340_0000_0000_0000), (1e-300, 0x01A0_0000_0000_0000), (0, 0),
      (.leastNonzeroMagnitude, 1),
    ] as [(Double, UInt64)])
  func numbersNextToAPowerOfTwo(value: Double, bits: UInt64) {
    #expect(value.javaScriptBits == bits)
  }

  @Test(
    "Ordinary numbers are encoded in the usual form",
    arguments: [0.1, 1, 2, 3, 4, 5, 1e15, 1_795_223_998_080, -2.5, 1e21, 1.7976931348623157e308, 123_456_789.125])
  func ordinaryNumbersAreEncodedAsEverywhere(value: Double) {
    #expect(value.javaScriptBits == value.bitPattern)
  }

  @Test("IOS's order is accepted when every child has a priority") func iosOrderIsAcceptedWhenEveryChildHasAPriority()
    throws
  {
    let all = try JSONSample.node(#"{"a":{".value":1,".priority":2},"b":{".value":2,".priority":1}}"#)
    #expect(all.accepts(hash: "D6JjHs2QkGxXGqtuJeaedrgTQ8Y="))
    #expect(all.simpleHash(.iOSText) == "D6JjHs2QkGxXGqtuJeaedrgTQ8Y=")
    let some = try JSONSample.node(#"{"a":{".value":1,".priority":2},"b":2}"#)
    #expect(some.simpleHash(.iOSText) == some.simpleHash())
  }

  @Test("IOS's end of the text at a NUL is accepted") func iosEndOfTheTextAtANULIsAccepted() throws {
    let node = try JSONSample.node(#""hey\u0000 guys""#)
    #expect(node.accepts(hash: Node(.string("hey")).simpleHash()))
    #expect(node.simpleHash() != Node(.string("hey")).simpleHash())
  }
}
