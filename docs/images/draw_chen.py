#!/usr/bin/env python3
"""Draws the gallery of docs/chen.md: runs the examples after Chen (1999) and plots one SVG per figure of the source.
Usage: draw_chen.py PROGRAM [FIGURE ...]; needs gnuplot. Prints the peaks that the page quotes."""
import csv
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / 'examples' / 'chen'
ORBIT = 5553.6
PITCH, TWIST, TIP = 'orbit/platform/pitch', 'joint/twist/position', 'frame/module/tip/deflection_y'
PLATFORM = 'frame/platform/tip/deflection_y'
LONG = ['simulate.tolerance=1e-7']


def one(place=120, **more):
    settings = [f'parameters.place={place} m']
    return settings + [f'parameters.{key}={value}' for key, value in more.items()]


def still(place, angle, reach='10 m'):
    return one(place, angle=f'{angle} deg', slew='0 deg', reach=reach)


def orbits(n, every):
    return LONG + [f'simulate.duration={n * ORBIT} s', f'simulate.record.every={every} s']


def two(place):
    return [f'parameters.place={place} m', 'parameters.reach=7.5 m', 'parameters.angle1=-30 deg', 'parameters.slew1=0 deg',
            'parameters.angle2=10 deg', 'parameters.slew2=0 deg'] + orbits(1, 10)


def at_rest(n):
    """The scenario of n modules that stand still at the platform's end, the first at -30 deg, the others at 10 deg to it."""
    text = (EXAMPLES / 'two-modules.yaml').read_text()
    text = text[:text.index('  - {name: rotor1')]
    joints = ''
    for k in range(1, n + 1):
        payload = ', tip_body: {mass: 400 kg}' if k == n else ''
        text += f'''  - {{name: rotor{k}, mass: 20 kg, inertia: "[10, 10, 10] kg*m^2"}}
  - name: module{k}
    beam: {{length: 15 m, mass: 400 kg, EI: 5.5e5 N*m^2, rho_I: 1.25 kg*m, modes: {{bending_y: 1}}{payload},
           deploys: {{from: 7.5 m, motion: {{rate: 0 m/s}}}}}}
'''
        parent, angle = ('base', -30) if k == 1 else (f'module{k - 1}/tip', 10)
        joints += f'''  - {{name: slew{k}, type: revolute, parent: {parent}, child: rotor{k}, angle: {angle} deg, motion: {{rate: 0 rad/s}}}}
  - {{name: twist{k}, type: revolute, parent: rotor{k}, child: module{k}, spring: {{stiffness: 1e4 N*m/rad}}}}
'''
    return text + '''joints:
  - {name: base, type: rail, parent: "platform at [0, 1.5, 0] m", child: base, position: 120 m, motion: {rate: 0 m/s}}
''' + joints + '''simulate: {duration: 5553.6 s, integrator: dormand-prince-8, tolerance: 1e-6, record: {every: 10 s, angles: deg}}
'''


# figure: (title, [(label, example or text, settings)], [channels], unit of time)
FIGURES = {
    '4-3': ('pitch, two modules at rest', [(f'd2 = {p - 60} m', 'two-modules', two(p)) for p in (60, 90, 120)], [PITCH]),
    '4-4': ('pitch, modules at rest at the end of the platform', [(f'{n} module' + 's' * (n > 1), at_rest(n), []) for n in (1, 2, 3, 5)],
            [PITCH]),
    '4-5': ('platform released along the local horizontal',
            [('one module at the end', 'one-module', still(120, -30) + orbits(1, 10) +
              ['bodies.platform.position=[0, -60, 0] m', 'bodies.platform.rotation={axis: z, angle: 90 deg}'])], [PITCH]),
    '4-6': ('platform bent by 2 m at the start, module at 50 deg', [('d2 = 30 m', 'one-module', still(90, 50) +
            ['bodies.platform.modal_amplitudes=[1]', 'simulate.duration=80 s'])], [TWIST, TIP]),
    '4-7': ('slew of 180 deg in 0.005 orbit', [(f'payload {m} kg', 'one-module', one(payload=f'{m} kg')) for m in (400, 800, 2000)],
            [TWIST, TIP, PLATFORM]),
    '4-8': ('module bent by 0.1 m at the start', [(f'damping {z}', 'one-module', still(120, 90) +
            ['bodies.module.modal_amplitudes=[0.05]', f'bodies.module.beam.damping={z}', 'simulate.duration=60 s']) for z in ('0', '0.1 %')],
            [TIP, TWIST]),
    '4-9': ('slew of 180 deg, base at three places', [(f'd2 = {p - 60} m', 'one-module', one(p)) for p in (60, 90, 120)],
            [TWIST, PLATFORM]),
    '4-10': ('slew with 2000 kg, number of modes', [(f'{n} modes', 'one-module', one(payload='2000 kg') +
             [f'bodies.module.beam.modes={{bending_y: {n}}}']) for n in (1, 2, 3)], [TIP]),
    '4-11': ('deployment from 7.5 to 15 m', [('EI = 5.5e4 N m^2', 'deployment', [])], [TIP, TWIST, PLATFORM]),
    '4-12': ('two modules unfold', [('payload 400 kg', 'two-modules', [])], ['joint/twist1/position', 'joint/twist2/position']),
    '4-13': ('three modules unfold and deploy', [('payload 100 kg', 'three-modules', [])],
             ['joint/twist1/position', 'joint/twist2/position', 'joint/twist3/position']),
    '4-14': ('the last of four modules slews', [('payload 100 kg', 'four-modules', [])],
             [f'joint/twist{k}/position' for k in (1, 2, 3, 4)]),
    '4-15': ('the base of five modules travels 30 m', [('no payload', 'five-modules', [])],
             [f'joint/twist{k}/position' for k in (1, 2, 3, 4, 5)]),
    '4-18': ('gross and fine, R = 1, 960 s', [('R = 1', 'gross-and-fine', ['simulate.duration=960 s', 'simulate.record.every=2 s'])],
             ['joint/inner/position', 'joint/outer/position']),
    '4-20': ('gross and fine, both joints start at 30 deg/min', [(f'R = {r}', 'gross-and-fine', [f'parameters.R={r}']) for r in (1, 0.5, 0.1)],
             ['joint/inner/position', 'joint/outer/position']),
    '4-21': ('gross and fine, the outer joint starts at 30 deg/min',
             [(f'R = {r}', 'gross-and-fine', [f'parameters.R={r}', 'parameters.inner=0 deg/s']) for r in (1, 0.5, 0.1)],
             ['joint/inner/position']),
    '4-22': ('the inner module is slewed by 90 deg in 60 s', [(f'R = {r}', 'gross-and-fine', [f'parameters.R={r}', 'parameters.inner=0 deg/s',
             'parameters.outer=0 deg/s', 'joints.inner.motion={position: {profile: sine-on-ramp, from: 0 deg, to: 90 deg, start: 0 s, duration: 60 s}}',
             'simulate.duration=60 s']) for r in (1, 0.5, 0.1)], ['joint/outer/position']),
    '4-23': ('the outer module is slewed by 90 deg in 60 s', [(f'R = {r}', 'gross-and-fine', [f'parameters.R={r}', 'parameters.inner=0 deg/s',
             'parameters.outer=0 deg/s', 'parameters.place=120 m',
             'joints.outer.motion={position: {profile: sine-on-ramp, from: 0 deg, to: 90 deg, start: 0 s, duration: 60 s}}',
             'simulate.duration=60 s']) for r in (1, 0.5, 0.1)], ['joint/inner/position']),
}

T1, T2, F2 = 'controller/flt/platform/torque_z', 'controller/flt/slew/effort', 'controller/flt/module/length/effort'
SLEW, LENGTH = 'joint/slew/position', 'joint/module/length/position'
# Where six panels leave no room for names of channels.
SHORT = {PITCH: 'pitch', T1: 'T1', SLEW: 'slew', T2: 'T2', TWIST: 'twist', TIP: 'module tip', LENGTH: 'length', F2: 'F2',
         'controller/hold/platform/torque_z': 'T1', 'controller/hold/slew/effort': 'T2', 'frame/deployable/tip/position_y': 'tip y'}
RIGID = ['controllers.flt.model=rigid', 'controllers.flt.model_settings=[joints.twist.motion.position=0 rad]', 'simulate.integrator=bdf']


def laws(**more):
    settings = [f'parameters.{key}={value}' for key, value in more.items()]
    return [('law A', 'flt-slew', settings), ('law B', 'flt-slew-rigid', settings)]


def tracks(**more):
    settings = [f'parameters.{key}={value}' for key, value in more.items()]
    if 'lap' in more:
        settings += ['parameters.circle=1', f"simulate.duration={2 * more['lap']} s"]
    return settings


FIGURES |= {
    '5-3': ('slew from -30 to -120 deg, d2 = 30 m', laws(), [PITCH, T1, SLEW, T2, TWIST, TIP]),
    '5-4': ('slew from -30 to -120 deg, d2 = 60 m', laws(place='120 m'), [PITCH, T1, SLEW, T2, TWIST, TIP]),
    '5-5': ('held along the local horizontal', [('law A', 'hold-horizontal', [])],
            ['controller/hold/platform/torque_z', 'controller/hold/slew/effort', TWIST]),
    '5-6': ('slew by 180 deg with 2000 kg', laws(place='120 m', payload='2000 kg', begin='0 deg', slew='180 deg'),
            [PITCH, T1, SLEW, T2, TWIST, TIP]),
    '5-7': ('slew from 30 to 120 deg, three stiffnesses, law A', [(f'EI = {EI} N m^2', 'flt-slew', [f'parameters.EI={EI} N*m^2',
            'parameters.begin=30 deg', 'parameters.slew=90 deg']) for EI in ('2.75e5', '5.5e5', '1.1e6')], [SLEW, TWIST, TIP]),
    '5-8': ('deployment from 7.5 to 15 m', [('law A', 'flt-deployment', []), ('law B', 'flt-deployment', RIGID)],
            [LENGTH, F2, PITCH, T1, TWIST, TIP]),
    '7-12': ('the tip along a line, 20 cm in 4 s', [('PID', 'ground-track', tracks()), ('FLT', 'ground-track-flt', tracks())],
             ['frame/deployable/tip/position_y', 'tip-error', 'joint/beta/rate', 'joint/l/rate']),
    '7-17': ('the tip along a circle, two laps of 20 s', [('PID', 'ground-track', tracks(lap=20)), ('FLT', 'ground-track-flt', tracks(lap=20))],
             ['tip-error', 'joint/beta/rate', 'joint/l/rate']),
    '7-18': ('the tip along a circle, PID, two laps', [(f'{lap} s a lap', 'ground-track', tracks(lap=lap)) for lap in (10, 20, 30)],
             ['tip-error']),
}


def run(program, example, settings, out):
    file = EXAMPLES / f'{example}.yaml'
    if '\n' in example:
        file = out.parent / 'scenario.yaml'
        file.write_text(example)
    command = [program, 'run', str(file), '--csv', '--quiet', '--out', str(out)]
    for setting in settings:
        command += ['--set', setting]
    subprocess.run(command, check=True)
    with open(out / 'channels.csv', newline='') as file:
        rows = csv.reader(file)
        header = next(rows)
        return header, [[float(x) for x in row] for row in rows]


def column(header, name):
    return next(k for k, text in enumerate(header) if text.split(' [')[0] == name)


def draw(program, figure):
    title, runs, channels = FIGURES[figure]
    with tempfile.TemporaryDirectory() as scratch:
        curves = [[] for _ in channels]
        for number, (label, example, settings) in enumerate(runs):
            out = pathlib.Path(scratch) / f'run{number}'
            header, rows = run(program, example, settings, out)
            for c, channel in enumerate(channels):
                at = column(header, channel)
                values = [row[at] for row in rows]
                print(f'{figure:5} {label:18} {channel:32} {min(values):12.5g} {max(values):12.5g} last {values[-1]:12.5g}')
                data = pathlib.Path(scratch) / f'{number}-{c}.dat'
                step = max(1, len(rows) // 400)
                data.write_text('\n'.join(f'{row[0]:.5g} {row[at]:.6g}' for row in rows[::step]))
                unit = header[at].split('[')[1].rstrip(']')
                name = SHORT.get(channel, channel) if figure[0] != '4' else channel
                curves[c].append((label, data, f'{name} [{unit}]'))
        script = [f"set terminal svg size 760,{190 * len(channels) + 40} font 'sans,11'", f"set output '{HERE}/chen-{figure}.svg'",
                  f"set multiplot layout {len(channels)},1 title 'Fig. {figure}: {title}'", 'set grid', 'set key outside right top']
        for curve in curves:
            script.append(f"set ylabel '{curve[0][2]}' noenhanced")
            script.append('plot ' + ', '.join(f"'{data}' with lines title '{label}' noenhanced" for label, data, _ in curve))
        subprocess.run(['gnuplot'], input='\n'.join(script), text=True, check=True)


if __name__ == '__main__':
    for name in sys.argv[2:] or FIGURES:
        draw(sys.argv[1], name)
