import Execution
import Geometry
import Imaging

/// Annotated and background photos as one list, annotated ones first.
struct TrainingPhotos: Sendable {
  let annotated: any TrainingImageSource
  let backgrounds: (any TrainingImageSource)?

  var count: Int { annotated.count + (backgrounds?.count ?? 0) }

  func isAnnotated(_ index: Int) -> Bool { index < annotated.count }

  private func place(_ index: Int) -> (source: any TrainingImageSource, index: Int) {
    if index < annotated.count { return (annotated, index) }
    return (backgrounds!, index - annotated.count)
  }

  func name(at index: Int) -> String {
    let place = place(index)
    return place.source.name(at: place.index)
  }

  /// A background photo's labels count too: a reader may mark regions of it to be ignored.
  func annotations(at index: Int) -> [Annotation] {
    let place = place(index)
    return place.source.annotations(at: place.index)
  }

  func copies(at index: Int, default number: Int) -> Int {
    let place = place(index)
    return place.source.copies(at: place.index) ?? number
  }

  func allowsNegatives(at index: Int) -> Bool {
    let place = place(index)
    return place.source.allowsNegatives(at: place.index)
  }

  func image(at index: Int) throws -> ByteImage {
    let place = place(index)
    return try place.source.image(at: place.index)
  }

  func checksum(at index: Int) throws -> String {
    let place = place(index)
    var hash = ContentHash()
    hash.add(place.source.name(at: place.index))
    for annotation in place.source.annotations(at: place.index) {
      hash.add(
        "\(annotation.box.x) \(annotation.box.y) \(annotation.box.width) \(annotation.box.height) \(annotation.isIgnored) "
          + annotation.label)
      for (name, value) in annotation.attributes.sorted(by: { $0.key < $1.key }) { hash.add("\(name)=\(value)") }
    }
    hash.add("\(place.source.copies(at: place.index) ?? -1) \(place.source.allowsNegatives(at: place.index))")
    hash.add(try place.source.checksum(at: place.index))
    return hash.digest
  }

  /// Photos that are worked on before results are gathered: enough for any number of threads, few enough for memory.
  static let batchSize = 64

  static func batches(of count: Int) -> [Range<Int>] {
    stride(from: 0, to: count, by: batchSize).map { $0..<min(count, $0 + batchSize) }
  }
}

/// Where in the data a negative window comes from.
struct WindowKey: Hashable, Sendable, Comparable {
  let photo: Int32
  let level: Int32
  let row: Int32
  let column: Int32

  static func < (a: WindowKey, b: WindowKey) -> Bool {
    (a.photo, a.level, a.row, a.column) < (b.photo, b.level, b.row, b.column)
  }
}
