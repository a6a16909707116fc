extension HOGFeatures {
  /// The variant and its options in a line, as "Dalal-Triggs HOG, blocks of 2 x 2 cells of 8 pixels, one every 8: 9 unsigned
  /// orientations".
  public var summary: String {
    switch self {
    case .dalalTriggs(let hog): HOGFeatures.summary(of: [hog], on: hog)
    case .dalalTriggsStack(let stack): HOGFeatures.summary(of: stack.layers, on: stack.grid)
    case .felzenszwalb(let hog): "Felzenszwalb HOG, cells of \(hog.cellSize) pixels"
    case .felzenszwalbWithPatterns(let hog):
      "Felzenszwalb HOG and local binary patterns, cells of \(hog.cellSize) pixels"
    }
  }

  private static func summary(of layers: [DalalTriggsHOG], on grid: DalalTriggsHOG) -> String {
    let cells = "\(grid.blockCells) x \(grid.blockCells) cells of \(grid.cellSize) pixels"
    let histograms = layers.map { layer in
      let colours =
        switch layer.colourDifference {
        case .redGreen: " in red less green"
        case .blueYellow: " in blue less yellow"
        case nil: ""
        }
      let reach = layer.reach == 1 ? "" : " of gradients that reach \(layer.reach) pixels"
      return "\(layer.binCount) \(layer.orientation.rawValue) orientations\(reach)\(colours)"
    }
    return "Dalal-Triggs HOG, blocks of \(cells), one every \(grid.blockStride): \(histograms.joined(separator: "; "))"
  }
}
