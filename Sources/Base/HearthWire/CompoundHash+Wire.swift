import HearthTree

// As a listen carries it: {"hs":["…","…",""],"ps":["a/b","c/.priority"]}. Posts are relative paths; that of a place
// that is a leaf itself is "/". The priority of a place with children is a post of its own, at the key .priority.

extension CompoundHash {
  /// The hash in a listen; nil for a text that no client writes. Such a text only means that everything is sent, so it
  /// is no reason to refuse a listen.
  init?(wire value: JSON, limits: WireLimits = .standard) {
    guard let texts = value["hs"]?.array, let places = value["ps"]?.array, texts.count == places.count + 1,
      places.count <= limits.postsMax
    else { return nil }
    var hashes: [String] = []
    for text in texts {
      guard let hash = text.string, hash.utf8.count <= Self.hashBytesMax else { return nil }
      hashes.append(hash)
    }
    var posts: [Path] = []
    for place in places {
      guard let text = place.string, let post = try? Location(wire: text) else { return nil }
      posts.append(post.isPriority ? post.path.appending(Key(".priority")) : post.path)
    }
    self.init(hashes: hashes, posts: posts)
  }

  /// SHA-1 in Base64.
  private static let hashBytesMax = 28
}
