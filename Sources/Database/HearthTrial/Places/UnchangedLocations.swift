import HearthRules
import HearthTree

/// A comparison of two rules files that finds the locations with the same relevant rules, where both files give the
/// same answer to any request.
///
/// Results are cached by location. There are at most as many locations as the files name, and never more than
/// ``TrialLimits/locationsMax``.
final class UnchangedLocations {
  /// A location of either file.
  private final class Place {
    let first: RuleNode?
    let second: RuleNode?
    /// True when all `.read` rules from the root to this location are the same.
    let isReadSame: Bool
    /// True when all `.write` and `.validate` rules from the root to this location are the same.
    let isWriteSame: Bool
    /// True when ``isWriteSame`` is true and all `.validate` rules below this location are the same as well.
    lazy var isWriteSameBelow = isWriteSame && RuleComparison.validateSame(first, second)
    /// True when one of the files contains literal keys below this location.
    let hasNames: Bool
    var named: [Key: Place] = [:]
    /// The location for all keys that neither file contains literally: nil when it has not been computed yet, and
    /// `.some(nil)` when there is none.
    var wildcard: Place??

    init(_ first: RuleNode?, _ second: RuleNode?, below above: Place?) {
      self.first = first
      self.second = second
      isReadSame = above?.isReadSame != false && RuleComparison.areSame(first?.read, second?.read)
      isWriteSame =
        above?.isWriteSame != false && RuleComparison.areSame(first?.write, second?.write)
        && RuleComparison.areSame(first?.validate, second?.validate)
      hasNames = first?.children.list.isEmpty == false || second?.children.list.isEmpty == false
    }
  }

  /// One of the two files.
  let rules: RuleSet
  private let root: Place
  private var placesLeft = TrialLimits.locationsMax

  init(_ first: RuleSet, _ second: RuleSet) {
    rules = second
    root = Place(first.root, second.root, below: nil)
  }

  /// Returns true when the two files cannot give different answers.
  func areSame(for request: RulesRequest) -> Bool {
    switch request {
    case .read(let request): isSame(request.path) { $0.isReadSame }
    case .write(let request):
      request.locations.allSatisfy { location in
        isSame(location.path, wayDown: { $0.isWriteSame }) { $0.isWriteSameBelow }
      }
    }
  }

  private func isSame(_ path: Path, _ isReadSame: (Place) -> Bool) -> Bool {
    isSame(path, wayDown: isReadSame, atEnd: isReadSame)
  }

  private func isSame(_ path: Path, wayDown: (Place) -> Bool, atEnd: (Place) -> Bool) -> Bool {
    var place = root
    for key in path.keys {
      guard wayDown(place) else { return false }
      switch child(of: place, key) {
      case .place(let next): place = next
      // Neither file has rules further down.
      case .none: return true
      case .unknown: return false
      }
    }
    return atEnd(place)
  }

  private enum Child {
    case place(Place)
    case none
    case unknown
  }

  private func child(of place: Place, _ key: Key) -> Child {
    let isNamed =
      place.hasNames && (place.first?.children[key] != nil || place.second?.children[key] != nil)
    if isNamed {
      if let known = place.named[key] { return .place(known) }
    } else if let known = place.wildcard {
      return known.map { .place($0) } ?? .none
    }
    let (first, second) = (place.first?.child(key), place.second?.child(key))
    if first == nil, second == nil {
      place.wildcard = .some(nil)
      return .none
    }
    guard placesLeft > 0 else { return .unknown }
    placesLeft -= 1
    let child = Place(first, second, below: place)
    if isNamed { place.named[key] = child } else { place.wildcard = child }
    return .place(child)
  }
}
