#!/usr/bin/env python3
"""Times a landmark fit by dlib and by Windhover on the same faces, one thread, in turn.

    swift build -c release --package-path Benchmarks --product landmark-benchmark
    python3 Benchmarks/peers/compare_landmark_speed.py [--program PATH] [--dat FILE] [--dlib-dat FILE]... [--model MODEL]...
        [--rounds N] IMAGE...

Needs dlib, numpy and libdlib-data. The faces are those that dlib's detector finds, upsampled once. dlib fits them with its
68-point predictor (or that of --dat), and with each further one of --dlib-dat, such as dlib's trainer writes; ours fits them
with the same first file and with each MODEL (a name of the catalogue or a file). Any pictures serve: those of 300-W show one
face of some 140 pixels each. Pictures are
written as PNG first, so that both sides see the same pixels, in colour. Times are the thread's own on the processor, of the
points alone and of the points with the confidence: the median over 20 fits, over the rounds, and over the faces; the sides
take turns round by round. The results are checked: with dlib's file every point lies within dlib's rounding of dlib's, with
another 68-point model the median distance is at most a twentieth of the box on the median face. Prints one JSON object.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import dlib
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
FITS = 20


def peer_times(predictor, faces):
    result = []
    for image, face in faces:
        times = []
        for _ in range(FITS):
            start = time.thread_time()
            predictor(image, face)
            times.append((time.thread_time() - start) * 1000)
        result.append(statistics.median(times))
    return result


def own_lines(program, model, listing):
    text = subprocess.run([program, model, listing, str(FITS)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def over_faces(rounds):
    """The median over faces of each face's median over rounds."""
    return statistics.median(statistics.median(times) for times in zip(*rounds))


def check(name, is_same_file, lines, faces, theirs):
    """Largest and median distances in pixels; ends the program where they say that something is wrong."""
    medians = []
    largest = 0.0
    for line, (_, face), points in zip(lines, faces, theirs):
        ours = numpy.array(line["points"])
        if len(ours) != len(points):
            return None
        if is_same_file:
            largest = max(largest, float(numpy.abs(ours - points).max()))
        distance = float(numpy.median(numpy.linalg.norm(ours - points, axis=1)))
        medians.append(distance / face.width())
    if is_same_file and largest > 0.51:
        sys.exit(f"dlib's file gives other points here: {largest} px")
    if statistics.median(medians) > 0.05:
        sys.exit(f"{name} does not lie on the faces: {statistics.median(medians)} of the box from dlib's points")
    return statistics.median(medians)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(HERE, "../.build/release/landmark-benchmark"))
    parser.add_argument("--dat", default="/usr/share/dlib/shape_predictor_68_face_landmarks.dat")
    parser.add_argument("--dlib-dat", action="append", default=[], help="another predictor that dlib is timed with")
    parser.add_argument("--model", action="append", default=[], help="a name of the catalogue, or a file")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("images", nargs="+")
    options = parser.parse_args()
    detector = dlib.get_frontal_face_detector()
    predictor = dlib.shape_predictor(options.dat)
    others = {path: dlib.shape_predictor(path) for path in options.dlib_dat}
    models = [options.dat] + options.model
    with tempfile.TemporaryDirectory() as folder:
        faces, listing = [], os.path.join(folder, "faces.tsv")
        with open(listing, "w") as file:
            for index, path in enumerate(options.images):
                image = dlib.load_rgb_image(path)
                dlib.save_image(image, os.path.join(folder, f"{index}.png"))
                for face in detector(image, 1):
                    faces.append((image, face))
                    box = (face.left(), face.top(), face.width(), face.height())
                    file.write("\t".join([os.path.join(folder, f"{index}.png"), *map(str, box)]) + "\n")
        if not faces:
            sys.exit("no face is found")
        theirs = [numpy.array([[p.x + 0.5, p.y + 0.5] for p in predictor(*face).parts()]) for face in faces]
        peer, own, other = [], {name: [] for name in models}, {path: [] for path in others}
        for _ in range(options.rounds):
            peer.append(peer_times(predictor, faces))
            for path in others:
                other[path].append(peer_times(others[path], faces))
            for name in models:
                own[name].append(own_lines(options.program, name, listing))
    dlib_ms = over_faces(peer)
    result = {
        "dlib_version": dlib.__version__, "faces": len(faces),
        "box_widths": [min(f.width() for _, f in faces), max(f.width() for _, f in faces)],
        "dlib": {"ms": dlib_ms, "bytes": os.path.getsize(options.dat),
                 "rounds_ms": [round(statistics.median(times), 4) for times in peer]}, "other_dlib": [], "ours": [],
    }
    for path in others:
        result["other_dlib"].append({
            "file": os.path.basename(path), "ms": over_faces(other[path]), "bytes": os.path.getsize(path),
            "rounds_ms": [round(statistics.median(times), 4) for times in other[path]]})
    for name in models:
        points = over_faces([[line["points_ms"] for line in lines] for lines in own[name]])
        figures = {
            "model": os.path.basename(name), "ms": points, "times_as_fast_as_dlib": dlib_ms / points,
            "times_as_fast_as_other_dlib": [entry["ms"] / points for entry in result["other_dlib"]],
            "median_distance_to_dlib_in_boxes": check(name, name == options.dat, own[name][0], faces, theirs),
            "rounds_ms": [round(statistics.median(line["points_ms"] for line in lines), 4) for lines in own[name]],
        }
        if own[name][0][0]["has_confidence"]:
            figures["ms_with_confidence"] = over_faces(
                [[line["points_and_confidence_ms"] for line in lines] for lines in own[name]])
        if os.path.isfile(name):
            figures["bytes"] = os.path.getsize(name)
            figures["share_of_dlibs_size"] = figures["bytes"] / result["dlib"]["bytes"]
        result["ours"].append(figures)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
