import Foundation
import HearthMetrics
import Testing

/// Tests that the dashboard, the alert rules and the guide mention exactly the existing metrics.
@Suite struct MonitoringFilesTests {
  private static func text(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Returns the metrics that a text names; parts of a histogram count as the histogram.
  private static func names(in text: String) -> Set<String> {
    let histograms = Set(
      MetricDescription.all.filter { if case .histogram = $0.kind { true } else { false } }.map(\.name))
    return Set(
      text.matches(of: /\b(?:hearth|process)_[a-z_]+[a-z]\b/).map { match in
        let name = String(match.output)
        for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
          let whole = String(name.dropLast(suffix.count))
          if histograms.contains(whole) { return whole }
        }
        return name
      })
  }

  private static let all = Set(MetricDescription.all.map(\.name))

  @Test("the dashboard shows every metric, and no unknown one")
  func dashboard() throws {
    let text = try Self.text("Deploy/grafana-dashboard.json")
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
    #expect(Self.names(in: text) == Self.all)
  }

  @Test("each panel of the dashboard has a number and a place of its own")
  func panels() throws {
    let text = try Self.text("Deploy/grafana-dashboard.json")
    let dashboard = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let panels = try #require(dashboard["panels"] as? [[String: Any]])
    #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
    var taken: [SIMD2<Int>: String] = [:]
    for panel in panels {
      let title = panel["title"] as? String ?? "?"
      let place = try #require(panel["gridPos"] as? [String: Int])
      let (x, y) = (try #require(place["x"]), try #require(place["y"]))
      for column in x..<x + (try #require(place["w"])) {
        for row in y..<y + (try #require(place["h"])) {
          let other = taken.updateValue(title, forKey: SIMD2(column, row))
          #expect(other == nil, "\(title) lies on \(other ?? "")")
        }
      }
    }
  }

  @Test("alerts use existing metrics")
  func alerts() throws {
    let names = Self.names(in: try Self.text("Deploy/alerts.yml"))
    #expect(names.count > 10 && names.isSubset(of: Self.all), "\(names.subtracting(Self.all))")
  }

  @Test("the guide's table has every metric with its kind and its labels")
  func guide() throws {
    let text = try Self.text("Sources/Guide/Monitoring.md")
    let rows = text.matches(
      of: /(?m)^\| `((?:hearth|process)_[a-z_]+)` \| (counter|gauge|histogram) \| ([^|]*) \| ([^|]+) \|$/)
    #expect(Set(rows.map { String($0.output.1) }) == Self.all && rows.count == Self.all.count)
    for row in rows {
      guard let metric = MetricDescription.all.first(where: { $0.name == row.output.1 }) else { continue }
      let kind =
        switch metric.kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
      #expect(row.output.2 == kind, "\(metric.name)")
      let labels = row.output.3.split(separator: ", ").map { $0.trimmingCharacters(in: ["`", " "]) }
      #expect(labels.filter { !$0.isEmpty } == metric.labels, "\(metric.name)")
      #expect(row.output.4 + "." == metric.help, "\(metric.name)")
    }
    #expect(Self.names(in: text) == Self.all)
  }

  @Test("names with one typing error are found")
  func wrongNames() {
    #expect(
      Self.names(in: "rate(hearth_writes[5m]) hearth_sync_seconds_bucket process_open_fds hearth_sync_second_sum")
        == ["hearth_writes", "hearth_sync_seconds", "process_open_fds", "hearth_sync_second_sum"])
  }
}
