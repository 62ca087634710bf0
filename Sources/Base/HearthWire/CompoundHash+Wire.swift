import HearthTree

// The form in a listen: {"hs":["…","…",""],"ps":["a/b","c/.priority"]}. Posts are relative paths; the post of a leaf at
// the listen's own path is "/". The priority of a node with children is a separate post, at the key .priority.

extension CompoundHash {
  /// Reads the hash in a listen; nil when it is invalid. The listen is not refused then; the server just sends all
  /// data.
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

  /// The size of a SHA-1 in Base64.
  private static let hashBytesMax = 28
}
