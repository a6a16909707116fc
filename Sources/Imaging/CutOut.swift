import Execution
import Geometry

/// A picture of an object, some of which may be transparent, to be laid over backgrounds.
public struct CutOut: Sendable {
  /// Grey or RGB; what it shows where it is transparent does not matter.
  public let image: ByteImage
  /// Grey: 255 where the object is, 0 where the background shows. `nil`: the object fills the picture.
  public let coverage: ByteImage?
  private let pyramid: SamplingPyramid

  /// - Precondition: the image has pixels; the coverage is grey and of the image's size.
  public init(_ image: ByteImage, coverage: ByteImage? = nil) {
    precondition(image.width > 0 && image.height > 0, "a picture without pixels shows nothing")
    precondition(
      coverage.map { $0.channelCount == 1 && $0.size == image.size } ?? true, "coverage is grey, of the picture's size")
    self.image = image
    self.coverage = coverage
    pyramid = SamplingPyramid(image, coverage: coverage)
  }

  public var size: PixelSize { image.size }

  /// Whether anything of it can be seen.
  public var isVisible: Bool { coverage.map { $0.pixels.contains { $0 > 0 } } ?? true }

  /// The picture in grey.
  public func grey() -> CutOut { image.channelCount == 1 ? self : CutOut(image.grey(), coverage: coverage) }

  /// The picture in red, green and blue.
  public func rgb() -> CutOut { image.channelCount == 3 ? self : CutOut(image.rgb(), coverage: coverage) }

  /// The picture with one colour made transparent.
  ///
  /// The pixels along the edge, which are mixed with that colour in nearly every file, take the mean colour of those of
  /// their neighbours that are not, where there are any: otherwise a rim of the colour would be seen on any background.
  ///
  /// - Parameters:
  ///   - color: of a grey picture its grey (`RGBColor` of three equal values, or the luma of another).
  ///   - tolerance: how far each channel may be from the colour, in 0...255.
  public func withTransparent(_ color: RGBColor, tolerance: Int) -> CutOut {
    let channels = image.channelCount
    let wanted =
      channels == 3
      ? [color.red, color.green, color.blue]
      : ByteImage(width: 1, height: 1, channelCount: 3, pixels: [color.red, color.green, color.blue]).grey().pixels
    var mask = coverage ?? ByteImage(width: image.width, height: image.height, channelCount: 1, filledWith: 255)
    for index in 0..<image.width * image.height {
      let isBackground = (0..<channels).allSatisfy {
        abs(Int(image.pixels[index * channels + $0]) - Int(wanted[$0])) <= tolerance
      }
      if isBackground { mask.pixels[index] = 0 }
    }
    return CutOut(CutOut.withoutRim(image, mask), coverage: mask)
  }

  private static func withoutRim(_ image: ByteImage, _ mask: ByteImage) -> ByteImage {
    let (width, height, channels) = (image.width, image.height, image.channelCount)
    func neighbours(_ index: Int) -> [Int] {
      let (column, row) = (index % width, index / width)
      return (max(0, row - 1)...min(height - 1, row + 1)).flatMap { y in
        (max(0, column - 1)...min(width - 1, column + 1)).map { y * width + $0 }
      }
    }
    let isEdge = mask.pixels.indices.map { index in
      mask.pixels[index] > 0 && neighbours(index).contains { mask.pixels[$0] == 0 }
    }
    var result = image
    for index in mask.pixels.indices where isEdge[index] {
      let inner = neighbours(index).filter { mask.pixels[$0] > 0 && !isEdge[$0] }
      guard !inner.isEmpty else { continue }
      for channel in 0..<channels {
        let sum = inner.reduce(0) { $0 + Int(image.pixels[$1 * channels + channel]) }
        result.pixels[index * channels + channel] = UInt8((sum + inner.count / 2) / inner.count)
      }
    }
    return result
  }

  /// A background with the picture laid over it.
  public struct Placed: Sendable {
    public var image: ByteImage
    /// The least box of whole pixels that holds what is covered by half and more; `nil` where nothing is.
    public var visible: Box?
  }

  /// Lays the picture over a background.
  ///
  /// Edges are smooth: a pixel that the object covers in part is mixed. Resampling is that of `ByteImage.warped`.
  ///
  /// - Parameters:
  ///   - background: of as many channels as the picture.
  ///   - toPicture: carries points of the background to points of the picture.
  ///   - tone: changes the picture's values, not the background's.
  /// - Precondition: both are grey or both RGB.
  public func placed(on background: ByteImage, by toPicture: Homography, tone: ToneChange = .none) -> Placed {
    precondition(background.channelCount == image.channelCount, "a grey picture on grey, a coloured one on colours")
    let frame = Box(x: -1, y: -1, width: Double(image.width + 2), height: Double(image.height + 2))
    let bounds = toPicture.inverse?.bounds(of: frame) ?? Box(background.size)
    guard let part = bounds.intersection(Box(background.size)) else { return Placed(image: background) }
    let columns = Int(part.x.rounded(.down))..<Int(part.maxX.rounded(.up))
    let rows = Int(part.y.rounded(.down))..<Int(part.maxY.rounded(.up))
    let values = pyramid.sampled(toPicture, columns: columns, rows: rows, border: .transparent)
    let count = columns.count * rows.count
    let channels = image.channelCount
    var result = background
    var (left, top, right, bottom) = (Int.max, Int.max, Int.min, Int.min)
    for row in rows {
      for column in columns {
        let index = (row - rows.lowerBound) * columns.count + column - columns.lowerBound
        let share = min(1, values[channels * count + index])
        guard share > 0 else { continue }
        if share >= 0.5 {
          (left, top) = (min(left, column), min(top, row))
          (right, bottom) = (max(right, column + 1), max(bottom, row + 1))
        }
        let place = (row * background.width + column) * channels
        for channel in 0..<channels {
          let level = tone.apply(values[channel * count + index] / share)
          let mixed = level * share + Float(background.pixels[place + channel]) * (1 - share)
          result.pixels[place + channel] = UInt8(max(0, min(255, mixed)) + 0.5)
        }
      }
    }
    let visible =
      right > left
      ? Box(x: Double(left), y: Double(top), width: Double(right - left), height: Double(bottom - top)) : nil
    return Placed(image: result, visible: visible)
  }
}

extension CutOut {
  /// Reads a picture; a PNG's transparency is its coverage.
  ///
  /// - Throws: `InputError` as `ImageFile.read`, and where nothing of the picture can be seen.
  public init(contentsOf path: String, options: ImageReadOptions = ImageReadOptions()) throws {
    var options = options
    options.background = 0
    let onBlack = try ImageFile.read(path, options: options)
    guard onBlack.hasAlpha else {
      self.init(onBlack.image)
      return
    }
    options.background = 255
    let onWhite = try ImageFile.read(path, options: options).image
    guard onWhite.size == onBlack.image.size, onWhite.channelCount == onBlack.image.channelCount else {
      throw InputError(source: path, problem: "has changed while it was read")
    }
    // Over black a value is v a, over white v a + 255 (1 - a): their difference tells a, and then v.
    let channels = onWhite.channelCount
    var colors = onBlack.image
    var mask = ByteImage(width: colors.width, height: colors.height, channelCount: 1, filledWith: 0)
    for index in 0..<mask.pixels.count {
      let gaps = (0..<channels).map {
        Int(onWhite.pixels[index * channels + $0]) - Int(onBlack.image.pixels[index * channels + $0])
      }
      let share = 255 - max(0, gaps.min() ?? 0)
      mask.pixels[index] = UInt8(share)
      guard share > 0 else { continue }
      for channel in 0..<channels {
        let value = Int(colors.pixels[index * channels + channel])
        colors.pixels[index * channels + channel] = UInt8(min(255, (value * 255 + share / 2) / share))
      }
    }
    self.init(colors, coverage: mask)
    guard isVisible else {
      throw InputError(source: path, problem: "shows nothing", found: "a picture that is transparent everywhere")
    }
  }
}
