import HearthBytes

// A stored hash as text, in the PHC string format: `$scheme$name=value,name=value$SALT$HASH`, salt and hash in standard
// base64 without padding. bcrypt has its own traditional form. Examples, each of the password "password":
//
//   $scrypt$ln=17,r=8,p=1$SALT$HASH                    native; `,k=ID` names a pepper
//   $firebase-scrypt$ln=14,r=8,s=Bw,k=ID$SALT$HASH     s: the salt separator, k: the signer key
//   $standard-scrypt$ln=10,r=8,p=16$SALT$HASH
//   $2b$10$SALTHASH
//   $pbkdf2-sha256$i=1000$SALT$HASH
//   $hmac-sha256$o=ps,k=ID$SALT$HASH                   o: the order, password and salt or the reverse
//   $sha256$o=sp$SALT$HASH
//   $argon2id$v=19$m=19456,t=2,p=1$SALT$HASH           `,data=…` is associated data

extension StoredHash {
  /// The text of the value; each value has exactly one.
  var text: String {
    if case .bcrypt = scheme { return String(decoding: hash, as: UTF8.self) }
    return "$\(head)$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(hash))"
  }

  private var head: String {
    switch scheme {
    case .native(let cost, let pepperID):
      "scrypt$ln=\(cost.logN),r=\(cost.r),p=\(cost.p)" + (pepperID.map { ",k=" + $0 } ?? "")
    case .firebaseScrypt(let logN, let r, let separator, let keyID):
      "firebase-scrypt$ln=\(logN),r=\(r),s=\(Base64.encodeUnpadded(separator)),k=\(keyID)"
    case .scrypt(let logN, let r, let p): "standard-scrypt$ln=\(logN),r=\(r),p=\(p)"
    case .bcrypt: ""
    case .pbkdf2(let function, let iterations): "pbkdf2-\(function.rawValue)$i=\(iterations)"
    case .hmac(let function, let keyID, let order): "hmac-\(function.rawValue)$o=\(order.rawValue),k=\(keyID)"
    case .digest(let function, let order): "\(function.rawValue)$o=\(order.rawValue)"
    case .argon2(let argon2):
      "\(argon2.variant.rawValue)$v=\(argon2.version)$m=\(argon2.memoryKiB),t=\(argon2.iterations),p=\(argon2.lanes)"
        + (argon2.associatedData.isEmpty ? "" : ",data=" + Base64.encodeUnpadded(argon2.associatedData))
    }
  }

  /// Parses a text; nil when it is not exactly the ``text`` of a value, or any part is out of bounds.
  init?(parsing text: String) {
    guard text.utf8.count <= Self.textBytesMax else { return nil }
    if text.utf8.starts(with: "$2".utf8) {
      self.init(scheme: .bcrypt, salt: [], hash: Array(text.utf8))
      guard isWithinBounds else { return nil }
      return
    }
    var fields = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)[...]
    guard fields.popFirst()?.isEmpty == true, let name = fields.popFirst(), let hash = fields.popLast(),
      let salt = fields.popLast(), let saltBytes = Base64.decodeUnpadded(salt),
      let hashBytes = Base64.decodeUnpadded(hash),
      let scheme = Self.scheme(String(decoding: name, as: UTF8.self), fields.map(Parameters.init))
    else { return nil }
    self.init(scheme: scheme, salt: saltBytes, hash: hashBytes)
    // The parsed value is written again and compared, so that no second spelling is accepted, such as "+1", "01" or an
    // extra parameter.
    guard isWithinBounds, self.text.utf8.elementsEqual(text.utf8) else { return nil }
  }

  private static func scheme(_ name: String, _ fields: [Parameters]) -> Scheme? {
    guard let last = fields.last else { return nil }
    switch name {
    case "scrypt":
      guard let logN = last.int("ln"), let r = last.int("r"), let p = last.int("p"),
        let cost = PasswordCost(logN: logN, r: r, p: p)
      else { return nil }
      return .native(cost, pepperID: last["k"])
    case "firebase-scrypt":
      guard let logN = last.int("ln"), let r = last.int("r"), let separator = last.bytes("s"), let keyID = last["k"]
      else { return nil }
      return .firebaseScrypt(logN: logN, r: r, separator: separator, keyID: keyID)
    case "standard-scrypt":
      guard let logN = last.int("ln"), let r = last.int("r"), let p = last.int("p") else { return nil }
      return .scrypt(logN: logN, r: r, p: p)
    case "pbkdf2-sha1", "pbkdf2-sha256":
      guard let function = HashFunction(rawValue: String(name.dropFirst(7))), let iterations = last.int("i") else {
        return nil
      }
      return .pbkdf2(function, iterations: iterations)
    case "hmac-md5", "hmac-sha1", "hmac-sha256", "hmac-sha512":
      guard let function = HashFunction(rawValue: String(name.dropFirst(5))), let keyID = last["k"],
        let order = last["o"].flatMap(Order.init)
      else { return nil }
      return .hmac(function, keyID: keyID, order: order)
    case "md5", "sha1", "sha256", "sha512":
      guard let function = HashFunction(rawValue: name), let order = last["o"].flatMap(Order.init) else { return nil }
      return .digest(function, order: order)
    case "argon2d", "argon2i", "argon2id":
      guard let variant = Argon2.Variant(rawValue: name), fields.count == 2, let version = fields[0].int("v"),
        let memory = last.int("m"), let iterations = last.int("t"), let lanes = last.int("p")
      else { return nil }
      let data = last["data"] == nil ? [] : last.bytes("data")
      guard let data else { return nil }
      return .argon2(
        Argon2(
          variant: variant, version: version, memoryKiB: memory, iterations: iterations, lanes: lanes,
          associatedData: data))
    default: return nil
    }
  }

  /// The parameters of a text, `name=value,name=value`.
  private struct Parameters {
    private var values: [String: String] = [:]

    init(_ field: Substring.UTF8View) {
      for pair in field.split(separator: UInt8(ascii: ",")) {
        guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
        values[String(decoding: pair[..<sign], as: UTF8.self)] =
          String(decoding: pair[pair.index(after: sign)...], as: UTF8.self)
      }
    }

    subscript(name: String) -> String? { values[name] }

    func int(_ name: String) -> Int? {
      guard let text = values[name], text.utf8.count <= 9 else { return nil }
      return Int(text)
    }

    func bytes(_ name: String) -> [UInt8]? { values[name].flatMap { Base64.decodeUnpadded($0.utf8) } }
  }
}
