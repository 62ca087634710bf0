extension JSONWriter {
  /// Writes a value that is sent to a server, in export form: server values are written as `{".sv": …}`.
  ///
  /// - Parameter location: The location to which the value is written. When it is the location of a priority, only the
  ///   priority is written.
  public mutating func write(_ value: WriteValue, at location: Location) {
    guard !value.deferred.isEmpty else { return write(value.node, .export) }
    if location.isPriority, let operation = value.deferred.first?.operation { return write(operation) }
    write(value.node, value.deferred.map { ($0.location.path.keys[...], $0.location.isPriority, $0.operation) })
  }

  private typealias Deferred = (keys: ArraySlice<Key>, isPriority: Bool, operation: WriteValue.Operation)

  private mutating func write(_ node: Node, _ deferred: [Deferred]) {
    guard !deferred.isEmpty else { return write(node, .export) }
    let own = deferred.last { $0.keys.isEmpty && !$0.isPriority }?.operation
    let priority = deferred.last { $0.keys.isEmpty && $0.isPriority }?.operation
    guard own == nil, !node.isLeaf else {
      let hasPriority = priority != nil || node.priority != nil
      if hasPriority { write(raw: "{\".value\":") }
      if let own { write(own) } else if let scalar = node.scalar { write(scalar) } else { writeNull() }
      if hasPriority {
        writePriority(of: node, priority)
        write(raw: "}")
      }
      return
    }
    // Finds the deferred values of each child in one pass over all of them.
    var below: [Key: [Deferred]] = [:]
    for item in deferred {
      if let key = item.keys.first {
        below[key, default: []].append((item.keys.dropFirst(), item.isPriority, item.operation))
      }
    }
    write(raw: "{")
    var isFirst = true
    for (key, child) in node.children {
      if !isFirst { write(raw: ",") }
      isFirst = false
      write(key.text)
      write(raw: ":")
      write(child, below[key] ?? [])
    }
    if priority != nil || node.priority != nil { writePriority(of: node, priority, isFirst: isFirst) }
    write(raw: "}")
  }

  private mutating func writePriority(of node: Node, _ operation: WriteValue.Operation?, isFirst: Bool = false) {
    if !isFirst { write(raw: ",") }
    write(raw: "\".priority\":")
    if let operation { write(operation) } else if let priority = node.priority { write(priority) } else { writeNull() }
  }

  private mutating func write(_ operation: WriteValue.Operation) {
    switch operation {
    case .timestamp: write(raw: "{\".sv\":\"timestamp\"}")
    case .increment(let delta):
      write(raw: "{\".sv\":{\"increment\":")
      write(delta)
      write(raw: "}}")
    }
  }
}
