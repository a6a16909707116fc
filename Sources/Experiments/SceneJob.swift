import DatasetReaders
import Detection
import Execution
import Foundation
import Geometry
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// Test pictures for a detector: photos with pictures of the object laid over them, and a list that says where.
///
/// Scene `i` takes the `i`-th photo of a seeded order (again from its beginning when all have been used). For each object a
/// picture is drawn, turned as `options` says, and brought to a size: the window's, times a factor drawn uniformly in the
/// logarithm between 1 and the largest. It lies wholly in the photo, uniformly among the places where it does, and touches
/// no other object; where none of 50 draws is free it is left out. The box in the list holds the pixels that the object
/// covers by half and more.
///
/// Differences from `opencv_createsamples`: colours stay; several objects a photo; each photo is used once before any is
/// used again; the box is that of the object, not of the place that it was fitted to.
public struct SceneJob: Sendable {
  public var pictures: SamplePictures
  public var options: PositiveSampleOptions
  public var count: Int
  /// Objects in each scene.
  public var objects: Int
  /// The largest object in windows; `nil`: 0.7 of the photo's side over the window's.
  public var largestScale: Double?
  /// Of the files; PNG keeps every value.
  public var format: ImageFormat

  public init(_ pictures: SamplePictures, options: PositiveSampleOptions, count: Int = 100) {
    self.pictures = pictures
    self.options = options
    self.count = count
    objects = 1
    largestScale = nil
    format = .png
  }

  public struct Summary: Hashable, Codable, Sendable {
    public var scenes: Int
    public var objects: Int
    /// Objects for which no free place was found.
    public var withoutPlace: Int
    /// Photos that are used.
    public var backgrounds: Int
    /// Photos smaller than the window.
    public var smallBackgrounds: Int
    /// Photos with objects of their own.
    public var annotatedBackgrounds: Int
    public var seed: UInt64
  }

  /// Writes the scenes into a new folder, and then `info.txt`.
  ///
  /// - Throws: `InputError` for options, photos and pictures that cannot be used; `UnreadablePhotos`; `CancelledError`.
  public func write(
    folder: String, executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws -> Summary {
    precondition(count >= 1 && objects >= 0 && (largestScale ?? 1) >= 1)
    try options.validate()
    try EmptyFolder.check(folder)
    let read = try pictures.read(executor: executor)
    guard let photos = try pictures.openedBackgrounds(memory: 0, executor, progress, cancellation) else {
      throw InputError(source: "scenes", problem: "need photos to lay objects over", found: "no backgrounds")
    }
    let window = options.windowSize
    let annotated = (0..<photos.count).filter { photos.source.annotations(at: $0).contains { !$0.isIgnored } }
    let small = (0..<photos.count).filter {
      photos.sizes[$0].width < window.width || photos.sizes[$0].height < window.height
    }
    var usable = Array(Set(0..<photos.count).subtracting(annotated).subtracting(small)).sorted()
    guard !usable.isEmpty else {
      throw InputError(
        source: "scenes", problem: "there is no photo to lay objects over",
        found: "\(photos.count) photos: \(small.count) smaller than the window of \(window.width) x \(window.height), "
          + "\(annotated.count) with objects of their own")
    }
    var random = RandomStream(seed: options.seed, stream: 0x7363_656E)
    random.shuffle(&usable)
    let order = usable
    progress.receive(.began(phase: "scenes", total: count))
    var entries: [(name: String, boxes: [Box])] = []
    for begin in stride(from: 0, to: count, by: SceneJob.blockSize) {
      try cancellation.check()
      let end = min(count, begin + SceneJob.blockSize)
      entries += try executor.map(end - begin) { offset in
        let number = begin + offset
        let scene = try scene(number, photos.source.image(at: order[number % order.count]), read)
        let name = String(format: "scene-%05d.", number + 1) + (format == .jpeg ? "jpg" : "png")
        try ImageFile.write(scene.image, to: "\(folder)/\(name)", quality: 95)
        return (name: name, boxes: scene.boxes)
      }
      progress.receive(.advanced(completed: end))
    }
    progress.receive(.ended)
    try AtomicFile.write(InfoList.text(entries), to: "\(folder)/info.txt")
    let placed = entries.reduce(0) { $0 + $1.boxes.count }
    return Summary(
      scenes: count, objects: placed, withoutPlace: count * objects - placed, backgrounds: min(count, order.count),
      smallBackgrounds: small.count, annotatedBackgrounds: annotated.count, seed: options.seed)
  }

  private static let blockSize = 32
  private static let draws = 50

  /// One photo with its objects.
  func scene(
    _ number: Int, _ photo: ByteImage, _ pictures: [PicturePositives.Picture]
  ) -> (image: ByteImage, boxes: [Box]) {
    var random = RandomStream(seed: options.seed, stream: UInt64(number) << 8 | 0x73)
    var image = photo.rgb()
    var boxes: [Box] = []
    let window = options.windowSize
    let fitting = min(Double(photo.width) / Double(window.width), Double(photo.height) / Double(window.height))
    let largest = max(1, min(fitting, largestScale ?? 0.7 * fitting))
    for _ in 0..<objects {
      for _ in 0..<SceneJob.draws {
        let picture = pictures[random.index(below: pictures.count)].cutOut
        let turn = PictureTurn(options, of: picture.size, using: &random)
        let scale = exp(random.uniform() * log(largest))
        // The turned picture fills the scaled window as far as its shape allows.
        let factor = min(
          Double(window.width) * scale / turn.bounds.width, Double(window.height) * scale / turn.bounds.height)
        let (width, height) = (turn.bounds.width * factor, turn.bounds.height * factor)
        let place = Box(
          x: random.uniform() * (Double(photo.width) - width), y: random.uniform() * (Double(photo.height) - height),
          width: width, height: height)
        guard boxes.allSatisfy({ $0.intersectionArea(place) == 0 }) else { continue }
        let placed = picture.rgb().placed(
          on: image, by: Homography.map(place, onto: turn.bounds).followed(by: turn.toPicture), tone: turn.tone)
        guard let visible = placed.visible else { continue }
        image = placed.image
        boxes.append(visible)
        break
      }
    }
    return (image, boxes)
  }
}
