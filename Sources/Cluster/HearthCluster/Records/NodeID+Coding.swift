import HearthBytes

extension ByteWriter {
  mutating func node(_ node: NodeID) {
    let name = Array(node.name.utf8.prefix(ClusterLimits.nodeNameBytesMax))
    number(UInt8(name.count))
    raw(name)
  }

  mutating func incarnation(_ incarnation: Incarnation) {
    node(incarnation.node)
    number(incarnation.number)
  }
}

extension ByteReader {
  mutating func node() throws(MalformedBytes) -> NodeID {
    let name = try raw(Int(try number(UInt8.self)))
    guard (1...ClusterLimits.nodeNameBytesMax).contains(name.count), let text = String(validating: name, as: UTF8.self)
    else { throw MalformedBytes("a node's name has \(name.count) bytes, or is not UTF-8") }
    return NodeID(text)
  }

  mutating func incarnation() throws(MalformedBytes) -> Incarnation {
    Incarnation(node: try node(), number: try number())
  }
}
