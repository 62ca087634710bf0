import Foundation
import HearthTree

/// The conversion of data to an app's values: `NSNull`, `NSNumber`, `String`, `[String: Any]` and `[Any]`.
///
/// Numbers are objects, because `as? Int`, `as? Double` and `as? Bool` all work on an `NSNumber`, on Linux as well; a
/// Swift `Int` cannot be cast to a `Double`.
enum ValueWriter {
  /// Returns the data without priorities. A node with mostly the keys `0`, `1`, `2`, … becomes an array.
  static func value(_ node: Node) -> Any {
    if let scalar = node.scalar { return value(scalar) }
    guard node.isInterior else { return NSNull() }
    if let length = node.arrayLength { return array(node, length: length) }
    var result = [String: Any](minimumCapacity: node.childCount)
    for (key, child) in node.children { result[key.text] = value(child) }
    return result
  }

  /// Returns the data with priorities and without arrays, in a form that can be written back.
  static func exported(_ node: Node) -> Any {
    var result: [String: Any] = [:]
    if let scalar = node.scalar {
      guard let priority = node.priority else { return value(scalar) }
      result = [".value": value(scalar), ".priority": value(priority)]
    } else {
      guard node.isInterior else { return NSNull() }
      for (key, child) in node.children { result[key.text] = exported(child) }
      if let priority = node.priority { result[".priority"] = value(priority) }
    }
    return result
  }

  static func value(_ scalar: Scalar) -> Any {
    switch scalar {
    case .bool(let value): NSNumber(value: value)
    case .int(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .string(let text): text
    }
  }

  private static func array(_ node: Node, length: Int) -> [Any] {
    var result: [Any] = []
    result.reserveCapacity(length)
    for (key, child) in node.children {
      guard let index = Int(key.text) else { continue }
      while result.count < index { result.append(NSNull()) }
      result.append(value(child))
    }
    return result
  }
}

extension ValueWriter {
  /// Returns the data with a placeholder for each server value.
  static func value(_ node: Node, _ deferred: [WriteValue.Deferred]) -> Any {
    let values = deferred.filter { !$0.location.isPriority }
    if values.isEmpty { return value(node) }
    if let own = values.first(where: { $0.location.path.isRoot }) { return placeholder(own.operation) }
    var result: [String: Any] = [:]
    for (key, child) in node.children {
      let below = values.compactMap { item -> WriteValue.Deferred? in
        guard item.location.path.keys.first == key else { return nil }
        let rest = Path(Array(item.location.path.keys.dropFirst()))
        return WriteValue.Deferred(location: Location(path: rest), operation: item.operation)
      }
      result[key.text] = value(child, below)
    }
    return result
  }

  private static func placeholder(_ operation: WriteValue.Operation) -> Any {
    switch operation {
    case .timestamp: ServerValue.timestamp()
    case .increment(let delta): [".sv": ["increment": value(delta)]] as [String: Any]
    }
  }
}
