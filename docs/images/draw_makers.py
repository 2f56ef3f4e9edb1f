#!/usr/bin/env python3
"""Draws the pictures of docs/theory/flexible-bodies.md: one per maker of flexible bodies."""
import math
import os

INK, SOFT, STRONG, LOAD = "#333333", "#9aa5b1", "#1f6fb2", "#c2410c"
WIDTH, HEIGHT = 440, 200


def svg(name, title, shapes):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" role="img" aria-label="{title}">\n<title>{title}</title>\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n')
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + "\n".join(shapes) + "\n</svg>\n")


def curve(points, color=STRONG, width=2.5, dash=""):
    path = " ".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linecap="round"{dashed}/>'


def dot(x, y, radius=3.5, color=INK):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{color}"/>'


def text(x, y, words, size=12, color=INK):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{size}" fill="{color}">{words}</text>'


def arrow(x, y, dx, dy, color=LOAD, width=1.8):
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    tip = (x + dx, y + dy)
    left = (tip[0] - 7 * ux + 3.5 * uy, tip[1] - 7 * uy - 3.5 * ux)
    right = (tip[0] - 7 * ux - 3.5 * uy, tip[1] - 7 * uy + 3.5 * ux)
    return curve([(x, y), tip], color, width) + curve([left, tip, right], color, width)


def wall(x, y):
    lines = [curve([(x, y - 26), (x, y + 26)], INK, 2)]
    for k in range(-2, 3):
        lines.append(curve([(x, y + 10 * k), (x - 8, y + 10 * k + 8)], INK, 1))
    return "".join(lines)


def clamped_free(k, s):
    """Clamped-free shape of mode k at s in [0, 1], tip value 2 in magnitude."""
    beta = [1.87510407, 4.69409113, 7.85475744][k]
    sigma = (math.cosh(beta) + math.cos(beta)) / (math.sinh(beta) + math.sin(beta))
    b = beta * s
    return math.cosh(b) - math.cos(b) - sigma * (math.sinh(b) - math.sin(b))


def bent(s):
    """A line of constant length, curvature falling from the root: x, y, angle at s."""
    n, x, y, angle = 400, 0.0, 0.0, 0.0
    for i in range(int(round(s * n))):
        angle = 1.9 * ((i + 0.5) / n - 0.5 * ((i + 0.5) / n) ** 2)
        x += math.cos(angle) / n
        y += math.sin(angle) / n
    return x, y, angle


def on_page(x, y, x0=60, y0=140, scale=215):
    return x0 + scale * x, y0 - scale * y


def modes():
    shapes = [wall(50, 85), curve([(50, 85), (370, 85)], SOFT, 1.5, "5 4")]
    for k, color in enumerate([STRONG, LOAD, "#15803d"]):
        points = [(50 + 320 * i / 80, 85 - [30, 22, 14][k] * clamped_free(k, i / 80)) for i in range(81)]
        shapes.append(curve(points, color, 2.2))
        shapes.append(text(378, points[-1][1] + 4, f"η{'₁₂₃'[k]}", 13, color))
    svg("maker-modes", "Assumed modes: clamped-free shapes of a beam", shapes)


def elements():
    shapes = [wall(50, 85), curve([(50, 85), (370, 85)], SOFT, 1.5, "5 4")]
    field = lambda s: 85 - 26 * clamped_free(0, s)
    shapes.append(curve([(50 + 320 * i / 80, field(i / 80)) for i in range(81)]))
    for node in range(6):
        s = node / 5
        shapes.append(dot(50 + 320 * s, field(s)))
        slope = (field(s + 1e-3) - field(s - 1e-3)) / 2e-3 / 320 if 0 < s < 1 else (field(s) - field(s - 1e-3)) / 1e-3 / 320
        if node:
            shapes.append(arrow(50 + 320 * s, field(s), 26, 26 * slope))
    shapes.append(text(60, 188, "nodes: displacement and slope in the axes of the root"))
    svg("maker-elements", "Hermite finite elements in the root's axes", shapes)


def lumped():
    shapes = [wall(60, 140)]
    pieces = 6
    ends = [bent(0.0)]
    x, y = 0.0, 0.0
    cuts = [0.0] + [(k + 0.5) / pieces for k in range(pieces)] + [1.0]
    points = [(0.0, 0.0)]
    for a, b in zip(cuts, cuts[1:]):
        angle = bent(0.5 * (a + b))[2] if a > 0 else 0.0
        x += (b - a) * math.cos(angle)
        y += (b - a) * math.sin(angle)
        points.append((x, y))
    for (xa, ya), (xb, yb) in zip(points, points[1:]):
        shapes.append(curve([on_page(xa, ya), on_page(xb, yb)], STRONG, 7))
    for px, py in points[1:-1]:
        cx, cy = on_page(px, py)
        shapes.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="6" fill="white" stroke="{LOAD}" stroke-width="2"/>')
    shapes.append(text(60, 188, "rigid pieces, a spring EI/l, GJ/l at each joint"))
    svg("maker-lumped", "Lumped beam: rigid pieces joined by springs", shapes)


def chain():
    shapes = [wall(60, 140)]
    shapes.append(curve([on_page(*bent(i / 80)[:2]) for i in range(81)]))
    for node in range(4):
        x, y, angle = bent(node / 4)
        px, py = on_page(x, y)
        shapes.append(arrow(px, py, 34 * math.cos(angle), -34 * math.sin(angle)))
        shapes.append(arrow(px, py, -24 * math.sin(angle), -24 * math.cos(angle)))
        shapes.append(dot(px, py))
    shapes.append(dot(*on_page(*bent(1.0)[:2])))
    shapes.append(text(60, 188, "each element bends little in axes of its own"))
    svg("maker-chain", "Chain: every element is a body of the recursion", shapes)


def absolute_nodal():
    shapes = [wall(60, 140)]
    shapes.append(curve([on_page(*bent(i / 80)[:2]) for i in range(81)]))
    for node in range(1, 5):
        x, y, angle = bent(node / 4)
        px, py = on_page(x, y)
        shapes.append(arrow(px, py, 40 * math.cos(angle), -40 * math.sin(angle)))
        shapes.append(dot(px, py))
    shapes.append(text(60, 188, "nodes: position r and gradient r' in the axes of the root"))
    svg("maker-absolute-nodal", "Line in absolute nodal coordinates", shapes)


def body_file():
    shapes = []
    for i in range(9):
        column = []
        for j in range(4):
            x = 60 + 34 * i
            y = 50 + 24 * j + 10 * math.sin(0.35 * i) * (i / 8)
            column.append((x, y))
        shapes.append(curve(column, SOFT, 1.2))
    for j in range(4):
        shapes.append(curve([(60 + 34 * i, 50 + 24 * j + 10 * math.sin(0.35 * i) * (i / 8)) for i in range(9)], SOFT, 1.2))
    for x, y, name in [(60, 86, "A"), (332, 66, "B")]:
        shapes += [arrow(x, y, 26, 0), arrow(x, y, 0, -26), dot(x, y), text(x - 16, y + 16, name)]
    shapes.append(text(60, 188, "modes, integrals and frames of a mesh reduced elsewhere"))
    svg("maker-file", "Reduced body from a file", shapes)


if __name__ == "__main__":
    for draw in (modes, elements, lumped, chain, absolute_nodal, body_file):
        draw()
