// The data a page brings along (docs/viewer.md, "The data"). Offsets count bytes of the blob.

export type Vec3 = [number, number, number];
/** x, y, z, then the quaternion w, x, y, z. */
export type PoseArray = [number, number, number, number, number, number, number];

export interface ShapeData {
  kind: 'box' | 'sphere' | 'cylinder';
  size?: Vec3;
  radius?: number;
  length?: number;
  pose: PoseArray;
}

/** Displacement phi eta + 1/2 eta' second eta, rotation vector psi eta, of a point of the material. */
export interface StationData {
  pose: PoseArray;
  phi: number[];
  psi: number[];
  second: (number[] | null)[];
}

export interface FlexibleData {
  layout: 'axis' | 'spokes';
  section: [number, number];
  modes: string[];
  stations: StationData[];
}

export interface FrameData {
  name: string;
  channel: string;
  pose: PoseArray;
  shape?: StationData;
}

export interface BodyData {
  name: string;
  parent: string;
  seat: string;
  joint: { name: string; type: string; pose: PoseArray };
  mass: number;
  com: Vec3;
  inertia_box: ShapeData | null;
  attachments: Vec3[];
  frames: FrameData[];
  shapes: ShapeData[];
  flexible: FlexibleData | null;
}

export interface ForceData {
  name: string;
  type: string;
  places: { body: string; frame: string; offset: Vec3 }[];
}

/** A shape in its own frame (docs/viewer.md, "The data"). */
export interface GeometryData {
  kind: string;
  size?: Vec3;
  corner_radius?: number;
  radius?: number;
  length?: number;
  tube?: number;
  half_angle?: number;
  half_axes?: Vec3;
  corners?: number[];
  triangles?: number[];
  note?: string;
}

export interface ContactShapeData {
  name: string;
  body: string;
  pose: PoseArray;
  /** Index into the scene's geometries. */
  geometry: number;
  contacts: string[];
  /** The elastic frame it rides on. */
  station?: StationData;
}

export interface CameraData {
  name: string;
  /** Stem of the channels of its pose. */
  channel: string;
  /** rad, from the lower to the upper edge. */
  field_of_view: number;
}

export interface SceneData {
  format: number;
  gravity: Vec3;
  bodies: BodyData[];
  forces: ForceData[];
  /** Missing in files of earlier versions. */
  geometries?: GeometryData[];
  contact_shapes?: ContactShapeData[];
  cameras?: CameraData[];
}

export interface ChannelData {
  name: string;
  unit: string;
  constant?: number | null;
  at?: number;
  time?: number;
  count?: number;
}

export interface EventData {
  time: number;
  name: string;
  direction: number;
}

export interface MeasureData {
  name: string;
  channel: string;
  unit: string;
  value: number | null;
  time: number | null;
}

export interface ScoreData {
  points: number;
  of: number;
  limit_broken: boolean;
  terms: (ScoreTermData & { measure: string; value: number | null; points: number; beyond_limit: boolean })[];
}

export interface SummaryData {
  status: string;
  cause: string;
  simulated_seconds: number;
  counts: Record<string, number>;
  energy: {
    ledger: { name: string; joule: number }[];
    residual_joule: number;
    relative_residual: number;
  } | null;
  measures: MeasureData[];
  /** Missing where the scenario gives no points. */
  score?: ScoreData;
  warnings: string[];
  timing: { wall_seconds: number; real_time_factor: number };
}

export interface RunData {
  label: string;
  title: string;
  version: string;
  seed: number;
  status: string;
  cause: string;
  scenario: string;
  rows: number;
  summary: SummaryData | null;
  events: EventData[];
  thinned: boolean;
  time?: number;
  span?: [number, number];
  channels: ChannelData[];
  scene: SceneData | null;
  replay?: { count: number; time: number; series: Record<string, number> };
}

export interface TunableData {
  name: string;
  value: number;
  from: number;
  to: number;
  unit: string;
}

/** A stick has two keys, for its directions; one with choices a key for each. */
export interface OperatorData {
  name: string;
  /** Of its command, as it acts. */
  channel: string;
  keys: string[];
  choices: string[];
  gamepad_axis: number | null;
  axis_sign: number;
  gamepad_buttons: number[];
}

export interface InstrumentData {
  channel: string;
  label: string;
  limit: number;
}

export interface ScoreTermData {
  name: string;
  unit: string;
  weight: number;
  full: number;
  none: number;
  limit: number | null;
}

/** A run under way in the server: channels and scene are known, rows arrive as events. */
export interface LiveData {
  title: string;
  version: string;
  seed: number;
  scenario: string;
  duration: number;
  channels: { name: string; unit: string }[];
  scene: SceneData;
  tunables: TunableData[];
  operators: OperatorData[];
  instruments: InstrumentData[];
  score: ScoreTermData[];
  token: string;
}

export interface ModeData {
  frequency_hz: number;
  damping_ratio: number;
  kind: string;
  shape_real: number[];
  shape_imaginary: number[];
  kinetic_shares: Record<string, number>;
  stiffness_shares: Record<string, number>;
  frames: { position_real: Vec3; position_imaginary: Vec3; rotation_real: Vec3; rotation_imaginary: Vec3 }[];
}

/** modes.json (docs/program.md). */
export interface ModesData {
  scenario: string;
  coordinates: string[];
  modal_coordinates: Record<string, number>;
  frames: { name: string; body: string; position: Vec3; orientation: [number, number, number, number] }[];
  modes: ModeData[];
  scene: SceneData;
}

export interface PageData {
  format: string;
  mode: 'report' | 'replay' | 'compare' | 'live';
  program: string;
  runs: RunData[];
  live?: LiveData;
  modes?: ModesData;
  bytes: number;
  blob: string;
}
