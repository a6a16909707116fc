import Execution
import Geometry
import Imaging

/// Several sources of photos as one, in order.
public struct JoinedPhotos: TrainingImageSource {
  private let sources: [any TrainingImageSource]
  /// Index of the first photo of each source, and the count of all.
  private let starts: [Int]

  public init(_ sources: [any TrainingImageSource]) {
    self.sources = sources
    starts = sources.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
  }

  public var count: Int { starts[sources.count] }

  private func place(_ index: Int) -> (source: any TrainingImageSource, index: Int) {
    precondition((0..<count).contains(index))
    let number = starts.lastIndex { $0 <= index && $0 < count }!
    return (sources[number], index - starts[number])
  }

  public func name(at index: Int) -> String {
    let place = place(index)
    return place.source.name(at: place.index)
  }

  public func group(at index: Int) -> String {
    let place = place(index)
    return place.source.group(at: place.index)
  }

  public func annotations(at index: Int) -> [Annotation] {
    let place = place(index)
    return place.source.annotations(at: place.index)
  }

  public func image(at index: Int) throws -> ByteImage {
    let place = place(index)
    return try place.source.image(at: place.index)
  }

  public func photo(at index: Int) throws -> TrainingPhoto {
    let place = place(index)
    return try place.source.photo(at: place.index)
  }

  public func copies(at index: Int) -> Int? {
    let place = place(index)
    return place.source.copies(at: place.index)
  }

  public func allowsNegatives(at index: Int) -> Bool {
    let place = place(index)
    return place.source.allowsNegatives(at: place.index)
  }

  public func checksum(at index: Int) throws -> String {
    let place = place(index)
    return try place.source.checksum(at: place.index)
  }

  public func origin(at index: Int) -> FileLine? {
    let place = place(index)
    return place.source.origin(at: place.index)
  }
}
