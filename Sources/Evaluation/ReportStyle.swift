/// The looks of reports: one style for light and dark screens and for paper.
enum ReportStyle {
  /// How many lines of a plot have looks of their own. Colours after Okabe and Ito (2008), which hold for colour-blind
  /// readers; dashes and marks differ too.
  static let seriesCount = 12

  static let colors = """
    :root{--ground:#fff;--panel:#f6f7f9;--ink:#1b1f24;--quiet:#5b6470;--rule:#d5d9e0;--grid:#e3e6eb;--faint:#f0f2f5;\
    --accent:#0b62a8;--right:#00805c;--wrong:#b8450a;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc5f9b;--c4:#8a6d00;--c5:#3aa0d8;}
    @media (prefers-color-scheme:dark){:root{--ground:#14171c;--panel:#1d2229;--ink:#e7eaee;--quiet:#9aa4b1;\
    --rule:#39414c;--grid:#2b323b;--faint:#20262d;--accent:#6cb6f0;--right:#35c496;--wrong:#ff9152;\
    --c0:#5cb3ea;--c1:#ff9152;--c2:#35c496;--c3:#ea8fc1;--c4:#e0bf3b;--c5:#9fd7f7;}}
    @media print{:root{--ground:#fff;--panel:#fff;--ink:#000;--quiet:#444;--rule:#bbb;--grid:#ddd;--faint:#eee;\
    --accent:#000;--right:#00805c;--wrong:#b8450a;--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#cc5f9b;--c4:#8a6d00;--c5:#3aa0d8;}}

    """

  static let plots: String = {
    let dashes = ["none", "9 4", "2 3", "12 4 2 4", "6 3 2 3 2 3", "16 5"]
    var text = """
      .plot text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--ink)}
      .plot .axis{font-size:13px;fill:var(--quiet)}
      .plot .ground{fill:var(--ground)}
      .plot .grid{stroke:var(--grid);stroke-width:1}
      .plot .faint{stroke:var(--faint);stroke-width:1}
      .plot .frame{fill:none;stroke:var(--rule);stroke-width:1}
      .plot .line{fill:none;stroke-width:2;stroke-linejoin:round}
      .plot .mark{fill:var(--ground);stroke-width:1.5}

      """
    for index in 0..<seriesCount {
      let dash = dashes[(index + index / 6) % 6]
      text += ".plot .s\(index){stroke:var(--c\(index % 6));stroke-dasharray:\(dash)}"
      text += ".plot .m\(index){stroke:var(--c\(index % 6))}\n"
    }
    return text
  }()

  static let page = """
    *{box-sizing:border-box}
    html{color-scheme:light dark}
    body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
    main{max-width:1240px;margin:0 auto;padding:32px 24px 64px}
    h1{font-size:26px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
    h2{font-size:18px;margin:40px 0 12px;padding-top:14px;border-top:1px solid var(--rule)}
    h3{font-size:15px;margin:24px 0 8px}
    p{margin:6px 0;max-width:80ch}
    .lead{color:var(--quiet)}
    .cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:12px;margin:22px 0 8px}
    .card{background:var(--panel);border:1px solid var(--rule);border-radius:8px;padding:12px 14px}
    .card b{display:block;font-size:26px;line-height:1.2;font-weight:600;font-variant-numeric:tabular-nums}
    .card span{display:block;color:var(--quiet);font-size:13px}
    .plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:24px}
    .tables{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:8px 32px;align-items:start}
    figure{margin:0}
    figcaption{font-weight:600;margin-bottom:6px}
    .plot{width:100%;height:auto;display:block}
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:14px}
    caption{text-align:left;font-weight:600;padding:14px 0 6px}
    th,td{padding:5px 10px;border-bottom:1px solid var(--rule);text-align:right;white-space:nowrap}
    th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal;overflow-wrap:anywhere}
    th:last-child,td:last-child{padding-right:0}
    thead th{color:var(--quiet);font-weight:500;vertical-align:bottom;white-space:normal}
    tbody th{font-weight:400}
    .best{font-weight:700}
    .range{color:var(--quiet);font-size:12.5px}
    .gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(132px,1fr));gap:14px}
    .thumb{position:relative;aspect-ratio:1;background:var(--panel);border-radius:6px;overflow:hidden}
    .thumb img,.thumb svg{position:absolute;inset:0;width:100%;height:100%;display:block}
    .thumb path{fill:none;vector-effect:non-scaling-stroke}
    .thumb .halo{stroke:#000;stroke-opacity:.55;stroke-width:4}
    .thumb .found{stroke:#ffb000;stroke-width:2}
    .thumb .truth{stroke:#4df0b8;stroke-width:2;stroke-dasharray:5 3}
    .thumb .hidden{stroke:#e8e8e8;stroke-width:1.5;stroke-dasharray:2 3}
    .faces{grid-template-columns:repeat(auto-fill,minmax(200px,1fr))}
    .faces .halo{stroke-width:2.6;stroke-opacity:.45}.faces .found{stroke-width:1.4}
    .faces .truth{stroke-width:1.3;stroke-dasharray:3 2}
    details{margin:8px 0}summary{cursor:pointer;color:var(--accent)}
    .gallery figcaption{font-weight:400;font-size:12px;line-height:1.35;margin:4px 0 0;overflow-wrap:anywhere}
    .gallery figcaption span{color:var(--quiet)}
    .key{display:inline-block;width:22px;height:0;border-top:3px solid #e09a00;vertical-align:middle;margin:0 4px 0 10px}
    .key.truth{border-top-color:#16b983;border-top-style:dashed}.key.hidden{border-top-color:#999;border-top-style:dotted}
    dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 18px;margin:0}
    dt{color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}
    code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
    .note{border-left:4px solid var(--wrong);padding:4px 12px;background:var(--panel);max-width:none}
    @media (max-width:560px){dl{grid-template-columns:1fr}dt{margin-top:6px}main{padding:20px 14px 48px}}
    @media print{main{max-width:none;padding:0}h2{break-after:avoid}figure,tr,.card{break-inside:avoid}\
    .plots{grid-template-columns:1fr 1fr}.gallery{grid-template-columns:repeat(6,1fr)}}

    """
}
