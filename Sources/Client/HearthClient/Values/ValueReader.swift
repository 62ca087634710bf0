import Foundation
import HearthTree

/// The conversion of an app's values to data: `nil`, `NSNull`, numbers, texts, dictionaries and arrays, in Swift's
/// types and in Foundation's, with `.priority`, `.value` and `.sv`.
///
/// The kind of a number is kept: a boolean is not a number, and an integer stays an integer within 64 bits.
struct ValueReader {
  /// The name of the function for messages.
  private let function: String
  /// The keys above the value, which count towards the depth.
  private let base: Path
  private var keys: [Key] = []
  private var builder = NodeBuilder()
  private var deferred: [WriteValue.Deferred] = []
  private var deepest = 0

  private init(_ function: String, below base: Path) {
    self.function = function
    self.base = base
  }

  /// Reads a value for `path`.
  static func value(
    _ value: Any?, at path: Path, from function: String
  ) throws(DatabaseArgumentError) -> WriteValue {
    var reader = ValueReader(function, below: path)
    try reader.read(value)
    return WriteValue(reader.builder.finish(), deferred: reader.deferred, depth: reader.deepest)
  }

  /// Reads a value with a separate priority, which overrides one inside the value.
  static func value(
    _ value: Any?, priority: Any?, at path: Path, from function: String
  ) throws(DatabaseArgumentError) -> WriteValue {
    var result = try Self.value(value, at: path, from: function)
    result.setPriority(try Self.priority(priority, from: function))
    return result
  }

  /// Reads a priority as the leaf that has it as its value; empty for none.
  static func priority(_ value: Any?, from function: String) throws(DatabaseArgumentError) -> WriteValue {
    let reader = ValueReader(function, below: .root)
    let (priority, operation) = try reader.priority(value)
    guard let operation else { return WriteValue(priority.map { Node($0) } ?? .empty) }
    return WriteValue(Node(.int(0)), deferred: [.init(location: Location(path: .root), operation: operation)])
  }

  /// Reads the bound of a query.
  static func bound(_ value: Any?, from function: String) throws(DatabaseArgumentError) -> Scalar? {
    let found = AppValue(value)
    switch found {
    case .null: return nil
    case .text(let text): return .string(text)
    case .number(let number):
      guard let scalar = number.scalar else {
        throw DatabaseArgumentError(.query, "You can only pass finite numbers to \(function)")
      }
      return scalar
    case .dictionary, .array, .other:
      throw DatabaseArgumentError(.query, "You can only pass nil, NSString or NSNumber to \(function)")
    }
  }

  /// Reads the replacements of a multi-path update, in the order of their paths. Keys may be paths with `.priority` as
  /// the last part.
  static func update(
    _ values: [AnyHashable: Any], at path: Path, from function: String
  ) throws(DatabaseArgumentError) -> [Write] {
    var writes: [Write] = []
    for (key, value) in values {
      guard let text = key.base as? String else {
        throw DatabaseArgumentError(.data, "(\(function)) Non-string keys are not allowed in object at path: ")
      }
      let location = try location(text, from: function)
      let target = path.appending(location.path)
      try Validation.writable(target, from: function)
      let value =
        location.isPriority
        ? try priority(value, from: function) : try Self.value(value, at: target, from: function)
      writes.append(Write(location: location, value: value))
    }
    writes.sort { $0.location.keys.lexicographicallyPrecedes($1.location.keys) }
    for (above, below) in zip(writes, writes.dropFirst()) where below.location.keys.starts(with: above.location.keys) {
      throw DatabaseArgumentError(
        .data,
        "(\(function)) Invalid path in object. Path (\(above.location)) is an ancestor of (\(below.location)).")
    }
    return writes
  }

  private static func location(_ text: String, from function: String) throws(DatabaseArgumentError) -> Location {
    var location = Location(path: Path(text))
    if location.path.keys.last?.text == ".priority" {
      location.path.keys.removeLast()
      location.isPriority = true
    }
    guard !location.path.isRoot || location.isPriority,
      location.path.keys.allSatisfy({ Validation.isKey($0.text) })
    else {
      throw DatabaseArgumentError(
        .data,
        "(\(function)) Invalid key in object. Keys must be non-empty and cannot contain '.' '#' '$' '[' or ']'")
    }
    return location
  }

  // MARK: Values

  private var here: String { Validation.text(keys) }

  private func error(_ text: String) -> DatabaseArgumentError { DatabaseArgumentError(.data, "(\(function)) " + text) }

  private mutating func read(_ value: Any?) throws(DatabaseArgumentError) {
    switch AppValue(value) {
    case .null: return builder.nothing()
    case .text(let text): builder.leaf(.string(try checked(text)))
    case .number(let number): builder.leaf(try checked(number))
    case .array(let elements):
      builder.open()
      for (index, element) in elements.enumerated() { try readChild(Key(String(index)), element) }
      return builder.close()
    case .dictionary(let dictionary): return try read(dictionary)
    case .other(let type):
      throw error(
        "Cannot store object of type \(type) at \(here). Can only store objects of type NSNumber, NSString, "
          + "NSDictionary, and NSArray.")
    }
    deepest = max(deepest, keys.count)
  }

  private func checked(_ text: String) throws(DatabaseArgumentError) -> String {
    guard text.utf8.count <= DataLimits.stringSizeBytesMax else {
      throw error("String exceeds max size of \(DataLimits.stringSizeBytesMax) utf8 bytes: \(here)")
    }
    return text
  }

  private func checked(_ number: AppValue.Number) throws(DatabaseArgumentError) -> Scalar {
    if let scalar = number.scalar { return scalar }
    throw error("Cannot store \(number.isNaN ? "NaN" : "Infinity") at path: \(here).")
  }

  private mutating func readChild(_ key: Key, _ value: Any?) throws(DatabaseArgumentError) {
    keys.append(key)
    if base.count + keys.count > DataLimits.depthMax { throw Validation.tooDeep(Path(keys), function) }
    builder.key(key)
    try read(value)
    keys.removeLast()
  }

  private mutating func read(_ dictionary: [AnyHashable: Any]) throws(DatabaseArgumentError) {
    var (children, metadata): ([(key: String, value: Any)], [String: Any]) = ([], [:])
    children.reserveCapacity(dictionary.count)
    for (key, value) in dictionary {
      guard let text = key.base as? String else {
        throw error("Non-string keys are not allowed in object at path: \(here)")
      }
      if text.utf8.first == UInt8(ascii: "."), [".priority", ".value", ".sv"].contains(text) {
        metadata[text] = value
      } else if Validation.isKey(text), text.utf8.count <= DataLimits.keySizeBytesMax {
        children.append((text, value))
      } else {
        throw error(
          "Invalid key in object at path: \(here). Keys must be non-empty and cannot contain '/' '.' '#' '$' '[' or ']'"
        )
      }
    }
    var priority: (scalar: Scalar?, operation: WriteValue.Operation?) = (nil, nil)
    if let value = metadata[".priority"] { priority = try self.priority(value) }
    if let value = metadata[".sv"] {
      guard dictionary.count == 1 || dictionary.count == 2 && metadata[".priority"] != nil else {
        throw error("Cannot store other keys with server value keys.\(here).")
      }
      add(try serverValue(value), priority: priority.scalar)
    } else if let value = metadata[".value"] {
      try readLeaf(value, priority: priority.scalar)
    } else {
      builder.open()
      for (key, value) in children { try readChild(Key(key), value) }
      builder.close(priority: priority.scalar)
    }
    if let operation = priority.operation {
      deferred.append(.init(location: Location(path: Path(keys), isPriority: true), operation: operation))
    }
  }

  private mutating func add(_ operation: WriteValue.Operation, priority: Scalar?) {
    builder.leaf(.int(0), priority: priority)
    deferred.append(.init(location: Location(path: Path(keys)), operation: operation))
    deepest = max(deepest, keys.count)
  }

  /// Reads the value under `.value`.
  private mutating func readLeaf(_ value: Any, priority: Scalar?) throws(DatabaseArgumentError) {
    switch AppValue(value) {
    case .null: builder.nothing()
    case .text(let text): builder.leaf(.string(try checked(text)), priority: priority)
    case .number(let number): builder.leaf(try checked(number), priority: priority)
    case .dictionary(let dictionary) where dictionary.count == 1 && dictionary[".sv"] != nil:
      if let value = dictionary[".sv"] { add(try serverValue(value), priority: priority) }
    case .dictionary, .array, .other:
      throw DatabaseArgumentError(
        .leafValue,
        "(\(function)) Invalid data type used with .value. Can only use NSString and NSNumber or be null. Found "
          + "\(type(of: value)) instead.")
    }
    deepest = max(deepest, keys.count)
  }

  // MARK: Metadata

  private func priority(_ value: Any?) throws(DatabaseArgumentError) -> (Scalar?, WriteValue.Operation?) {
    func refusal(_ what: String) -> DatabaseArgumentError {
      error("Cannot store \(what) as priority at path: \(here).")
    }
    switch AppValue(value) {
    case .null: return (nil, nil)
    case .text(let text): return (.string(try checked(text)), nil)
    case .number(.bool): throw refusal("true/false")
    case .number(let number):
      guard let scalar = number.scalar else { throw refusal(number.isNaN ? "NaN" : "Infinity") }
      return (scalar, nil)
    case .dictionary(let dictionary):
      guard dictionary.count == 1, let value = dictionary[".sv"] else { throw refusal("an NSDictionary") }
      return (.int(0), try serverValue(value))
    case .array: throw refusal("an NSArray")
    case .other(let type): throw refusal("an object of type \(type)")
    }
  }

  /// Reads the value under `.sv`.
  private func serverValue(_ value: Any) throws(DatabaseArgumentError) -> WriteValue.Operation {
    switch AppValue(value) {
    case .text("timestamp"): return .timestamp
    case .dictionary(let dictionary) where dictionary.count == 1:
      if case .number(let delta)? = dictionary["increment"].map({ AppValue($0) }), let scalar = delta.scalar {
        if case .bool = delta { break }
        return .increment(scalar)
      }
    default: break
    }
    throw error(
      "Unknown server value at path: \(here). Use ServerValue.timestamp() or ServerValue.increment(_:) with a number.")
  }
}

extension Location {
  /// The keys of the path, followed by `.priority` for a priority.
  fileprivate var keys: [Key] { isPriority ? path.keys + [".priority"] : path.keys }
}

extension WriteValue {
  /// Replaces the value's priority; an empty value has none.
  ///
  /// - Parameter priority: The priority as a leaf, as ``ValueReader/priority(_:from:)`` returns it.
  mutating func setPriority(_ priority: WriteValue) {
    let location = Location(path: .root, isPriority: true)
    deferred.removeAll { $0.location == location }
    node = node.with(priority: priority.node.scalar)
    if !node.isEmpty {
      deferred += priority.deferred.map { Deferred(location: location, operation: $0.operation) }
    }
  }
}
