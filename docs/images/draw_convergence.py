#!/usr/bin/env python3
"""Draws alpha-convergence.svg from alpha-convergence.csv (written by scenario_test with GRAPPLE_UPDATE_DOCS=1)."""
import csv
import math
import pathlib

HERE = pathlib.Path(__file__).parent
COLORS = {"squeezer": "#1f77b4", "slider-crank": "#d62728", "four-bar": "#2ca02c", "heavy-top": "#9467bd"}
PANELS = (("position", "positions"), ("rate", "rates"), ("multiplier", "multipliers"))
WIDTH, HEIGHT, LEFT, TOP, GAP = 230, 230, 56, 40, 66


def main():
    rows = list(csv.DictReader((HERE / "alpha-convergence.csv").open()))
    parts = []
    total = LEFT + 3 * WIDTH + 2 * GAP + 20
    for panel, (key, title) in enumerate(PANELS):
        x0, y0 = LEFT + panel * (WIDTH + GAP), TOP
        x = lambda s: x0 + WIDTH * (math.log10(s) + 6.0) / 4.2
        y = lambda e: y0 + HEIGHT * (1.0 - math.log10(e)) / 10.0
        parts.append(f'<rect x="{x0}" y="{y0}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>')
        parts.append(f'<text x="{x0 + WIDTH / 2}" y="{y0 - 10}" text-anchor="middle" font-weight="bold">{title}</text>')
        for k in range(-6, -1):
            at = x(10.0**k)
            parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y0}" y2="{y0 + HEIGHT}" stroke="#ddd"/>')
            parts.append(f'<text x="{at:.1f}" y="{y0 + HEIGHT + 15}" text-anchor="middle">1e{k}</text>')
        for k in range(-8, 2, 2):
            at = y(10.0**k)
            parts.append(f'<line x1="{x0}" x2="{x0 + WIDTH}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{x0 - 6}" y="{at + 4:.1f}" text-anchor="end">1e{k}</text>')
        parts.append(f'<text x="{x0 + WIDTH / 2}" y="{y0 + HEIGHT + 32}" text-anchor="middle">step [s]</text>')
        slope = f"{x(1e-5):.1f},{y(1e-3):.1f} {x(1e-3):.1f},{y(10.0):.1f}"
        parts.append(f'<polyline points="{slope}" fill="none" stroke="#000" stroke-dasharray="5 4"/>')
        for name, color in COLORS.items():
            points = [(x(float(r["step_s"])), y(float(r[key]))) for r in rows if r["mechanism"] == name]
            line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5"/>')
            parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{color}"/>' for a, b in points]
    for k, (name, color) in enumerate(COLORS.items()):
        at = LEFT + 130 * k
        parts.append(f'<circle cx="{at}" cy="{TOP + HEIGHT + 52}" r="4" fill="{color}"/>')
        parts.append(f'<text x="{at + 9}" y="{TOP + HEIGHT + 56}">{name}</text>')
    at = LEFT + 130 * len(COLORS)
    parts.append(f'<line x1="{at}" x2="{at + 24}" y1="{TOP + HEIGHT + 52}" y2="{TOP + HEIGHT + 52}" stroke="#000" stroke-dasharray="5 4"/>')
    parts.append(f'<text x="{at + 30}" y="{TOP + HEIGHT + 56}">second order</text>')
    body = "\n".join(parts)
    (HERE / "alpha-convergence.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{TOP + HEIGHT + 70}" '
        f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n')


if __name__ == "__main__":
    main()
