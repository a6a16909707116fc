import Execution
import Geometry
import Imaging

/// Positive samples made of pictures of the object: each sample is a picture, turned in space, brightened or darkened, laid
/// over a window of a background. One picture gives any number of them.
///
/// Sample `i` shows picture `i` modulo the number of pictures, over the window at place `i` of the backgrounds' order (from the
/// beginning again when all have been used); the rest is drawn from a stream of its own. The picture's frame is fitted to
/// the window before it is turned, as `options.fit` says (`.cover` shows all of it), so that a picture turned far sticks out
/// of the window; `showsWhole` fits what the turned frame takes up instead.
///
/// Differences from `opencv_createsamples`: nothing is transparent unless it is said to be; edges are mixed by what they
/// cover, so that no rim of the transparent colour is left; samples may be shifted and scaled; backgrounds do not repeat before all are used; the turns about
/// two axes bound each other in proportion, where there the second is drawn within its limit less the first.
public struct PicturePositives: PositiveSamples {
  public struct Picture: Sendable {
    public var name: String
    public var cutOut: CutOut

    public init(name: String, cutOut: CutOut) {
      self.name = name
      self.cutOut = cutOut
    }
  }

  public let options: PositiveSampleOptions
  public let count: Int
  /// Whether the window shows all of the turned picture.
  public let showsWhole: Bool
  private let pictures: [Picture]
  private let backgrounds: NegativeWindows?
  private let level: UInt8

  /// - Parameters:
  ///   - pictures: at least one.
  ///   - count: how many samples.
  ///   - backgrounds: windows that the pictures are laid over, of the samples' size; `nil` takes a plain grey.
  ///   - level: that grey, 0...255.
  ///   - options: of which `copies`, `largestEnlargement` and `leastVisibleShare` do not matter.
  /// - Throws: `InputError` where an option cannot be used, or the backgrounds hold no window.
  /// - Precondition: there is a picture; the backgrounds' windows have the samples' size.
  public init(
    _ pictures: [Picture], count: Int, backgrounds: NegativeWindows? = nil, level: UInt8 = 128,
    options: PositiveSampleOptions, showsWhole: Bool = false
  ) throws {
    precondition(!pictures.isEmpty && count >= 0)
    precondition(backgrounds.map { $0.options.windowSize == options.windowSize } ?? true)
    try options.validate()
    try backgrounds?.requireWindows(source: "backgrounds")
    self.pictures = pictures.map { Picture(name: $0.name, cutOut: $0.cutOut.grey()) }
    self.count = count
    self.backgrounds = backgrounds
    self.level = level
    self.options = options
    self.showsWhole = showsWhole
  }

  public var windowSize: PixelSize { options.windowSize }

  public func name(at index: Int) -> String { "\(pictures[index % pictures.count].name)#\(index)" }

  public func sample(at index: Int) throws -> ByteImage {
    precondition((0..<count).contains(index))
    let background: ByteImage
    if let backgrounds {
      let place = index % backgrounds.count
      let pixels = try backgrounds.harvest(1, from: place, limit: 1, executor: .serial) { Array($0.windows.indices) }
        .pixels
      background = ByteImage(width: windowSize.width, height: windowSize.height, channelCount: 1, pixels: pixels)
    } else {
      background = plain
    }
    return laid(index, over: background)
  }

  /// Several samples one after the other; the backgrounds of neighbours are read together.
  public func samples(at indices: [Int], executor: ParallelExecutor) throws -> [UInt8] {
    let length = windowSize.width * windowSize.height
    let grounds = try self.grounds(indices, length, executor)
    return PositiveSampleBlock.fill(count: indices.count, length: length) { block in
      executor.forEach(indices.count) { number in
        let background =
          grounds.map {
            ByteImage(
              width: windowSize.width, height: windowSize.height, channelCount: 1,
              pixels: Array($0[number * length..<(number + 1) * length]))
          } ?? plain
        block.put(laid(indices[number], over: background), number, length)
      }
    }
  }

  private var plain: ByteImage {
    ByteImage(width: windowSize.width, height: windowSize.height, channelCount: 1, filledWith: level)
  }

  /// The backgrounds of some samples one after the other.
  private func grounds(_ indices: [Int], _ length: Int, _ executor: ParallelExecutor) throws -> [UInt8]? {
    guard let backgrounds else { return nil }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(indices.count * length)
    var begin = 0
    while begin < indices.count {
      let place = indices[begin] % backgrounds.count
      var end = begin + 1
      while end < indices.count, place + end - begin < backgrounds.count,
        indices[end] % backgrounds.count == place + end - begin
      { end += 1 }
      pixels += try backgrounds.harvest(end - begin, from: place, executor: executor) { Array($0.windows.indices) }
        .pixels
      begin = end
    }
    return pixels
  }

  private func laid(_ index: Int, over background: ByteImage) -> ByteImage {
    let cutOut = pictures[index % pictures.count].cutOut
    var random = RandomStream(seed: options.seed, stream: UInt64(index) << 8 | 0x70)
    let jitter = PositiveJitter(options, using: &random)
    let turn = PictureTurn(jitter, of: cutOut.size)
    let frame = showsWhole ? turn.bounds : turn.frame
    let region = jitter.apply(to: options.region(of: frame))
    let toPicture = Homography.map(Box(windowSize), onto: region).followed(by: turn.toPicture)
    return cutOut.placed(on: background, by: toPicture, tone: turn.tone).image
  }
}

/// A picture turned in space about its centre, which lies at the origin; perhaps mirrored, and of another tone.
public struct PictureTurn: Sendable {
  /// The picture before it was turned.
  public let frame: Box
  /// What the turned picture takes up.
  public let bounds: Box
  /// Carries points of the view to pixels of the picture.
  public let toPicture: Homography
  public let tone: ToneChange

  init(_ jitter: PositiveJitter, of size: PixelSize) {
    let frame = Box(center: Point(x: 0, y: 0), width: Double(size.width), height: Double(size.height))
    let view = Homography.view(
      rotation: (jitter.tiltX, jitter.tiltY, jitter.rotation),
      distance: jitter.distance * max(frame.width, frame.height))
    self.frame = frame
    bounds = view.bounds(of: frame) ?? frame
    let flip = Homography(jitter.isMirrored ? -1 : 1, 0, 0, 0, 1, 0, 0, 0, 1)
    toPicture = (view.inverse ?? .identity).followed(by: flip).followed(by: .translation(x: -frame.x, y: -frame.y))
    tone = jitter.tone
  }

  /// Draws a turn within the bounds of some options.
  public init(_ options: PositiveSampleOptions, of size: PixelSize, using random: inout RandomStream) {
    self.init(PositiveJitter(options, using: &random), of: size)
  }
}
