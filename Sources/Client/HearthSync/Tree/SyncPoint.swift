import HearthTree

/// A node of the tree of listeners: a path with listeners at it or below it.
final class SyncPoint {
  /// The views in the order of their creation.
  private(set) var views: [View] = []
  private var viewsByQuery: [Query: View] = [:]
  private(set) var children: [Key: SyncPoint] = [:]
  private var keys: [Key]?

  var isEmpty: Bool { views.isEmpty && children.isEmpty }

  // MARK: The tree

  /// The children in key order.
  var sortedChildren: [(key: Key, point: SyncPoint)] {
    let sorted = keys ?? children.keys.sorted()
    keys = sorted
    return sorted.compactMap { key in children[key].map { (key, $0) } }
  }

  /// Returns the point at the keys, created if it is missing.
  func makePoint(at keys: ArraySlice<Key>) -> SyncPoint {
    var point = self
    for key in keys {
      if let child = point.children[key] {
        point = child
      } else {
        let child = SyncPoint()
        point.children[key] = child
        point.keys = nil
        point = child
      }
    }
    return point
  }

  /// Returns the point below at the keys; nil when there is no listener at that path or below.
  func point(at keys: ArraySlice<Key>) -> SyncPoint? {
    var point = self
    for key in keys {
      guard let child = point.children[key] else { return nil }
      point = child
    }
    return point
  }

  /// Removes the points along the keys that have no listeners left.
  func prune(at keys: ArraySlice<Key>) {
    guard let key = keys.first, let child = children[key] else { return }
    child.prune(at: keys.dropFirst())
    if child.isEmpty {
      children[key] = nil
      self.keys = nil
    }
  }

  // MARK: Views

  func view(_ query: Query) -> View? { viewsByQuery[query] }

  /// The oldest view of all data; nil when there is none.
  var completeView: View? { views.first { $0.spec.loadsAllData } }

  /// The views with bounds or a limit.
  var filteredViews: [View] { views.filter { !$0.spec.loadsAllData } }

  func add(_ view: View) {
    views.append(view)
    viewsByQuery[view.spec.query] = view
  }

  func remove(_ view: View) {
    views.removeAll { $0 === view }
    viewsByQuery[view.spec.query] = nil
  }

  /// Returns the server's data at the given keys below; nil when no view has all of it.
  func completeServerCache(at keys: ArraySlice<Key> = []) -> Node? {
    for view in views {
      if let node = view.completeServerCache(at: keys) { return node }
    }
    return nil
  }

  /// Returns the data at the given keys below, with this client's writes applied; nil when it is not known completely.
  func completeEventCache(at keys: ArraySlice<Key>) -> Node? {
    for view in views {
      if let node = view.completeEventCache(at: keys) { return node }
    }
    return nil
  }
}
