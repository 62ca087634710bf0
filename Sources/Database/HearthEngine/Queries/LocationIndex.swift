import HearthTree

/// An index of a location's children, with the node that it belongs to.
struct LocationIndex: Sendable {
  let path: Path
  let node: Node
  let index: ChildIndex
}
