import CoreMetrics
import HearthMetrics
import Testing

@Suite struct MetricsRegistryTests {
  private static let counted = MetricDescription("a_total", .counter, labels: ["of"], "A count.")
  private static let timed = MetricDescription("a_seconds", .histogram(bounds: [0.001, 0.1]), "A time.")

  private static func registry(seriesMax: Int = 500, foreignMax: Int = 200) -> MetricsRegistry {
    var limits = MetricsLimits()
    (limits.seriesPerFamilyMax, limits.foreignFamiliesMax) = (seriesMax, foreignMax)
    return MetricsRegistry([counted, timed], limits: limits)
  }

  private func number(_ registry: MetricsRegistry, _ name: String, _ label: String? = nil) -> Double? {
    let family = registry.families().first { $0.description.name == name }
    let series = family?.series.first { label == nil || $0.labels.map(\.value) == [label] }
    if case .number(let value)? = series?.value { return value }
    return nil
  }

  @Test("handles of the same labels share a series, which continues when one is released")
  func counters() {
    let registry = Self.registry()
    let (one, two) = (registry.counter(Self.counted, "x"), registry.counter(Self.counted, "x"))
    one.increment(by: 2)
    two.increment()
    registry.counter(Self.counted, "y").increment()
    one.destroy()
    one.reset()
    #expect(number(registry, "a_total", "x") == 3)
    #expect(number(registry, "a_total", "y") == 1)
  }

  @Test("a counter never decreases, for any added value")
  func onlyGrows() {
    let registry = Self.registry()
    registry.counter(Self.counted, "x").increment(by: -5)
    let parts = registry.makeFloatingPointCounter(label: "parts_total", dimensions: [])
    for amount in [0.5, -1, .nan, .infinity] { parts.increment(by: amount) }
    #expect(number(registry, "a_total", "x") == 0)
    #expect(number(registry, "parts_total") == 0.5)
  }

  @Test("an observation counts in the first bucket that is not smaller; a NaN counts in none")
  func histograms() throws {
    let registry = Self.registry()
    let timer = registry.timer(Self.timed)
    for nanoseconds: Int64 in [-5, 0, 1_000_000, 1_000_001, 100_000_000, 100_000_001, .max] {
      timer.recordNanoseconds(nanoseconds)
    }
    let sizes = registry.makeRecorder(label: "sizes", dimensions: [], aggregate: true)
    sizes.record(Double.nan)
    sizes.record(Double.infinity)
    sizes.record(3 as Int64)
    guard
      case .histogram(let times)? = registry.families().first(where: { $0.description == Self.timed })?.series[0].value,
      case .histogram(let counts)? = registry.families().first(where: { $0.description.name == "sizes" })?.series[0]
        .value
    else {
      Issue.record("no histogram")
      return
    }
    #expect(times.counts == [3, 2, 2])
    #expect(counts.counts.reduce(0, +) == 1 && counts.sum == 3 && counts.counts[2] == 1)
  }

  @Test("series above the limit are counted under other, for any number")
  func cardinality() throws {
    let registry = Self.registry(seriesMax: 4)
    for index in 0..<1_000 { registry.counter(Self.counted, "name-\(index)").increment() }
    registry.counter(Self.counted, "name-1").increment()
    let family = try #require(registry.families().first)
    #expect(family.series.count == 4)
    #expect(number(registry, "a_total", "name-1") == 2)
    #expect(number(registry, "a_total", MetricsLimits.otherText) == 997)
  }

  @Test("the metrics of other libraries are limited, and so is the length of their names")
  func foreign() {
    let registry = Self.registry(foreignMax: 2)
    for name in ["net.bytes", "1st", "third"] {
      registry.makeCounter(label: name, dimensions: [("a-b", "x")]).increment(by: 1)
    }
    #expect(registry.families().map(\.description.name) == ["_1st", "net_bytes"])
    #expect(registry.families()[0].series[0].labels == [MetricLabel("a_b", "x")])
  }

  @Test("labels in any order are one series; a repeated name counts once, and a reserved one gets a prefix")
  func foreignLabels() {
    let registry = Self.registry()
    registry.makeTimer(label: "wait", dimensions: [("b", "1"), ("a-c", "2"), ("a.c", "3"), ("le", "4")])
      .recordNanoseconds(1)
    registry.makeTimer(label: "wait", dimensions: [("le", "4"), ("a_c", "3"), ("b", "1")]).recordNanoseconds(1)
    let series = registry.families().flatMap(\.series)
    #expect(series.map(\.labels) == [[MetricLabel("_le", "4"), MetricLabel("a_c", "3"), MetricLabel("b", "1")]])
  }

  @Test("a name that is registered with another kind records no value")
  func otherKind() {
    let registry = Self.registry()
    registry.makeMeter(label: "a_total", dimensions: []).set(5 as Double)
    registry.makeTimer(label: "a_total", dimensions: []).recordNanoseconds(5)
    #expect(registry.families().isEmpty)
  }

  @Test("a long value of a label is cut between characters")
  func longLabels() throws {
    let registry = Self.registry()
    registry.counter(Self.counted, String(repeating: "é", count: 1_000)).increment()
    let value = try #require(registry.families().first?.series.first?.labels.first?.value)
    #expect(value == String(repeating: "é", count: 128))
  }

  @Test("gauges rise and fall")
  func gauges() {
    let registry = Self.registry()
    let meter = registry.makeMeter(label: "level", dimensions: [])
    meter.set(5 as Int64)
    meter.increment(by: 2)
    meter.decrement(by: 3.5)
    #expect(number(registry, "level") == 3.5)
    registry.makeRecorder(label: "last", dimensions: [], aggregate: false).record(9 as Int64)
    #expect(number(registry, "last") == 9)
  }

  @Test("concurrent increments are all counted")
  func concurrency() async {
    let registry = Self.registry()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let counter = registry.counter(Self.counted, "x")
          for _ in 0..<1_000 { counter.increment() }
        }
      }
    }
    #expect(number(registry, "a_total", "x") == 8_000)
  }
}

@Suite struct MetricCatalogueTests {
  @Test("names are unique, plain and end with their unit; only counters end with total")
  func names() {
    let all = MetricDescription.all
    #expect(Set(all.map(\.name)).count == all.count)
    for metric in all {
      #expect(metric.name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz_".utf8.contains($0) }, "\(metric.name)")
      #expect(metric.name.hasPrefix("hearth_") || metric.name.hasPrefix("process_"), "\(metric.name)")
      #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
      #expect(metric.help.hasSuffix("."), "\(metric.name)")
      if case .histogram(let bounds) = metric.kind {
        #expect(bounds == bounds.sorted() && Set(bounds).count == bounds.count)
      }
    }
  }
}
