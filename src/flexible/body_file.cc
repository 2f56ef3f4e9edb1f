#include "grapple/flexible/body_file.h"

#include <fmt/format.h>

#include <fstream>
#include <set>

#include "grapple/base/assert.h"
#include "grapple/base/whole_file.h"
#include "grapple/flexible/beam.h"
#include "grapple/flexible/damping.h"
#include "grapple/flexible/internal/body_json.h"
#include "grapple/spatial/mass_properties.h"
#include "grapple/spatial/symmetric_eigen.h"

namespace grapple::flexible {

namespace {

using spatial::Mat3;
using spatial::MatX;
using spatial::VecX;

constexpr int kVersion = 1;
constexpr const char* kVersionKey = "grapple_flexible_body";
// Files of other programs carry 10 digits or more; what differs by more is not symmetric.
constexpr double kSymmetric = 1e-9;
constexpr double kOrthonormal = 1e-9;

bool symmetric(const MatX& a) {
  return (a - a.transpose()).cwiseAbs().maxCoeff() <= kSymmetric * a.cwiseAbs().maxCoeff();
}

bool semidefinite(const MatX& a) {
  const VecX values = spatial::symmetric_eigenvalues(a);
  return values[0] >= -kSymmetric * values.cwiseAbs().maxCoeff();
}

MatX symmetric_square(const JsonObject& file, const char* key, int modes) {
  MatX a = file.square(key, modes);
  if (!symmetric(a)) {
    file.fault("GR-339", key, "must be symmetric");
  } else if (!semidefinite(a)) {
    file.fault("GR-339", key, "must not be negative for any motion (it has a negative eigenvalue)");
  }
  return a;
}

Quadratic3 symmetric_quadratic(const JsonObject& object, const char* key, int modes) {
  if (!object.has(key)) return {};
  Quadratic3 q = object.quadratic(key, modes);
  for (const MatX& component : q) {
    if (component.size() > 0 && !symmetric(component)) {
      object.fault("GR-339", key, "each component must be symmetric");
    }
  }
  return q;
}

Mat3 inertia_of(const JsonObject& object, const char* key) {
  const MatX a = object.matrix(key, 3, 3);
  if (!symmetric(a)) object.fault("GR-339", key, "must be symmetric");
  return a;
}

Mat3 orientation_of(const JsonObject& frame) {
  if (!frame.has("orientation")) return Mat3::Identity();
  Mat3 R = frame.matrix("orientation", 3, 3);
  const double error = (R.transpose() * R - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(error < kOrthonormal) || R.determinant() < 0.0) {
    frame.fault("GR-339", "orientation", "must be a rotation (orthonormal, right-handed)");
  }
  return R;
}

std::vector<FrameShape> frames_of(const JsonObject& file, int modes) {
  std::vector<FrameShape> frames;
  if (!file.has("frames")) return frames;
  std::set<std::string> names;
  for (const JsonObject& frame : file.objects("frames")) {
    frame.allow_only(
        {"name", "position", "orientation", "phi", "psi", "second_order", "rotation_second_order"});
    frames.push_back({frame.text("name"), frame.vector3("position"), orientation_of(frame),
                      frame.matrix("phi", 3, modes), frame.matrix("psi", 3, modes),
                      symmetric_quadratic(frame, "second_order", modes)});
    frames.back().G = symmetric_quadratic(frame, "rotation_second_order", modes);
    if (!names.insert(frames.back().name).second) {
      frame.fault("GR-339", "name", fmt::format("two frames are called '{}'", frames.back().name));
    }
  }
  return frames;
}

std::vector<Station> stations_of(const JsonObject& file, int modes) {
  std::vector<Station> stations;
  for (const JsonObject& piece : file.objects("stations")) {
    piece.allow_only({"mass", "position", "inertia", "phi", "psi", "second_order"});
    Station s;
    s.mass = piece.number("mass");
    if (s.mass < 0.0) piece.fault("GR-339", "mass", "must not be negative");
    s.position = piece.vector3("position");
    s.phi = piece.matrix("phi", 3, modes);
    if (piece.has("inertia")) s.inertia = inertia_of(piece, "inertia");
    if (piece.has("psi")) s.psi = piece.matrix("psi", 3, modes);
    s.H = symmetric_quadratic(piece, "second_order", modes);
    stations.push_back(std::move(s));
  }
  return stations;
}

std::vector<Mat3> second_order_inertia(const JsonObject& file, int modes) {
  const auto m = static_cast<std::size_t>(modes);
  std::vector<Mat3> J2(m * m, Mat3::Zero());
  constexpr const char* kKey = "inertia_second_order";
  if (!file.has(kKey)) return J2;
  const std::vector<MatX> read = file.matrices(kKey, modes * modes, 3, 3);
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t l = 0; l < m; ++l) {
      const MatX& block = read[k * m + l];
      const double scale = block.cwiseAbs().maxCoeff();
      const double pair_error = (block - read[l * m + k]).cwiseAbs().maxCoeff();
      if (!symmetric(block) || pair_error > kSymmetric * scale) {
        file.fault("GR-339", kKey,
                   fmt::format("block {} of {} must be symmetric and equal to block {}", k * m + l,
                               m * m, l * m + k));
      }
      J2[k * m + l] = block;
    }
  }
  return J2;
}

// The body's integrals as given, or from its stations; never half of each.
FlexibleBody integrals_of(const JsonObject& file, int modes) {
  if (file.has("stations")) {
    for (const char* key : {"mass", "first_moment", "inertia", "modal_mass", "translation_coupling",
                            "rotation_coupling", "inertia_first_order", "inertia_second_order",
                            "rotation_coupling_first_order", "first_moment_second_order"}) {
      if (file.has(key))
        file.fault("GR-338", key, "follows from 'stations'; give one or the other");
    }
    return integrate_stations(stations_of(file, modes), modes);
  }
  FlexibleBody body;
  body.modes = modes;
  body.mass = file.number("mass");
  body.c0 = file.vector3("first_moment");
  body.J0 = inertia_of(file, "inertia");
  body.E = symmetric_square(file, "modal_mass", modes);
  body.C1 = file.matrix("translation_coupling", 3, modes);
  body.N0 = file.matrix("rotation_coupling", 3, modes);
  const auto m = static_cast<std::size_t>(modes);
  body.J1.assign(m, Mat3::Zero());
  if (file.has("inertia_first_order")) {
    const auto read = file.matrices("inertia_first_order", modes, 3, 3);
    for (std::size_t k = 0; k < m; ++k) {
      if (!symmetric(read[k])) {
        file.fault("GR-339", "inertia_first_order", "each block must be symmetric");
      }
      body.J1[k] = read[k];
    }
  }
  body.J2 = second_order_inertia(file, modes);
  body.N1.assign(m, Mat3X::Zero(3, modes));
  if (file.has("rotation_coupling_first_order")) {
    const auto read = file.matrices("rotation_coupling_first_order", modes, 3, modes);
    for (std::size_t k = 0; k < m; ++k) body.N1[k] = read[k];
  }
  body.C2 = symmetric_quadratic(file, "first_moment_second_order", modes);
  return body;
}

void read_names(const JsonObject& file, FlexibleBody& body) {
  if (file.has("mode_names")) {
    body.mode_names = file.texts("mode_names");
    if (body.mode_names.size() != static_cast<std::size_t>(body.modes)) {
      file.fault("GR-338", "mode_names", fmt::format("expected {} names", body.modes));
    }
    return;
  }
  for (int k = 1; k <= body.modes; ++k) body.mode_names.push_back(fmt::format("mode_{}", k));
}

void read_damping(const JsonObject& file, FlexibleBody& body) {
  body.damping = MatX::Zero(body.modes, body.modes);
  if (file.has("modal_damping")) {
    body.damping = symmetric_square(file, "modal_damping", body.modes);
    if (file.has("damping_ratios")) {
      file.fault("GR-338", "damping_ratios", "give either these or 'modal_damping'");
    }
  }
}

// Ratios need the frequencies of a sound body.
void apply_ratios(const JsonObject& file, const std::string& where, FlexibleBody& body,
                  const Diagnostics& faults) {
  if (!file.has("damping_ratios")) return;
  const VecX ratios = file.square("damping_ratios", body.modes).diagonal();
  if (faults.empty()) apply_damping(body, ModalDamping{{ratios.begin(), ratios.end()}}, where);
}

int modes_of(const JsonObject& file, const Diagnostics& faults) {
  const double version = file.number(kVersionKey);
  const double modes = file.number("modes");
  if (faults.empty() && version != kVersion) {
    file.fault("GR-338", kVersionKey, fmt::format("this program reads version {}", kVersion));
  }
  if (faults.empty() && !(modes >= 1.0 && modes <= 1000.0 && modes == static_cast<int>(modes))) {
    file.fault("GR-338", "modes", "must be a whole number of 1 to 1000");
  }
  faults.throw_if_any();
  return static_cast<int>(modes);
}

// A mesh of another program has all of its inertia, so that its sum obeys what rigid bodies do.
std::string unphysical_inertia(const FlexibleBody& body) {
  const spatial::Vec3 com = body.c0 / body.mass;
  const Mat3 steiner = body.mass * (com.squaredNorm() * Mat3::Identity() - com * com.transpose());
  return spatial::MassProperties{body.mass, com, body.J0 - steiner}.unphysical();
}

}  // namespace

FlexibleBody parse_body(const std::string& json_text, const std::string& where) {
  Json json;
  try {
    json = Json::parse(json_text);
  } catch (const Json::exception& fault) {
    const std::string told = fault.what();  // "[json.exception.parse_error.101] parse error at ..."
    const std::string place = told.substr(told.find("] ") + 2);
    // What it has read there is not shown: the file may be anything on the disk.
    throw Error("GR-337", where, "not a JSON file: " + place.substr(0, place.find(": ")));
  }
  if (json.is_object() && !json.contains(kVersionKey)) {
    throw Error("GR-337", where,
                fmt::format("no flexible body: the key '{}' is missing", kVersionKey));
  }
  Diagnostics faults;
  const JsonObject file(json, where, "", faults);
  const int modes = modes_of(file, faults);
  file.allow_only({kVersionKey, "modes", "mode_names", "mass", "first_moment", "inertia",
                   "modal_mass", "modal_stiffness", "modal_damping", "damping_ratios",
                   "translation_coupling", "rotation_coupling", "inertia_first_order",
                   "inertia_second_order", "rotation_coupling_first_order",
                   "first_moment_second_order", "stations", "frames"});
  FlexibleBody body = integrals_of(file, modes);
  body.stiffness = symmetric_square(file, "modal_stiffness", modes);
  body.frames = frames_of(file, modes);
  body.rotation_limit = kModerateRotation;
  read_names(file, body);
  read_damping(file, body);
  if (faults.empty()) {
    std::string reason = unusable(body);
    if (reason.empty()) reason = unphysical_inertia(body);
    if (!reason.empty()) faults.add("GR-339", where, reason);
  }
  apply_ratios(file, where, body, faults);
  faults.throw_if_any();
  return body;
}

FlexibleBody read_body_file(const std::filesystem::path& path) {
  constexpr std::size_t kLargest = 256u << 20;
  const WholeFile file = read_whole_file(path, kLargest);
  switch (file.state) {
    case FileState::kRead:
      return parse_body(file.bytes, path.string());
    case FileState::kDirectory:
      throw Error("GR-337", path.string(), "is a directory; a flexible body is a JSON file");
    case FileState::kSpecial:
      throw Error("GR-337", path.string(), "is a device, FIFO or socket, not a plain file");
    case FileState::kTooLarge:
      throw Error("GR-337", path.string(), fmt::format("is larger than {} MiB", kLargest >> 20));
    case FileState::kMissing:
    case FileState::kUnreadable:
      break;
  }
  throw Error("GR-337", path.string(), "cannot be read; is the path right?");
}

namespace {

Json stations_text(const std::vector<Station>& stations) {
  Json all = Json::array();
  for (const Station& s : stations) {
    Json piece = {{"mass", s.mass}, {"position", list_of(s.position)}, {"phi", rows_of(s.phi)}};
    if (!s.inertia.isZero(0.0)) piece["inertia"] = rows_of(s.inertia);
    if (s.psi.size() > 0) piece["psi"] = rows_of(s.psi);
    if (present(s.H)) piece["second_order"] = quadratic_of(s.H);
    all.push_back(std::move(piece));
  }
  return all;
}

void write_integrals(const FlexibleBody& body, Json& json) {
  json["mass"] = body.mass;
  json["first_moment"] = list_of(body.c0);
  json["inertia"] = rows_of(body.J0);
  json["modal_mass"] = rows_of(body.E);
  json["translation_coupling"] = rows_of(body.C1);
  json["rotation_coupling"] = rows_of(body.N0);
  json["inertia_first_order"] = Json::array();
  for (const Mat3& block : body.J1) json["inertia_first_order"].push_back(rows_of(block));
  json["inertia_second_order"] = Json::array();
  for (const Mat3& block : body.J2) json["inertia_second_order"].push_back(rows_of(block));
  json["rotation_coupling_first_order"] = Json::array();
  for (const Mat3X& block : body.N1) {
    json["rotation_coupling_first_order"].push_back(rows_of(block));
  }
  json["first_moment_second_order"] = quadratic_of(body.C2);
}

}  // namespace

std::string body_text(const FlexibleBody& body) {
  Json json = Json::object();
  json[kVersionKey] = kVersion;
  json["modes"] = body.modes;
  json["mode_names"] = body.mode_names;
  // The integrals follow from the stations, but not the stations from them.
  if (body.stations.empty()) {
    write_integrals(body, json);
  } else {
    json["stations"] = stations_text(body.stations);
  }
  json["modal_stiffness"] = rows_of(body.stiffness);
  json["modal_damping"] = rows_of(body.damping);
  json["frames"] = Json::array();
  for (const FrameShape& frame : body.frames) {
    GRAPPLE_ASSERT(frame.turning == Turning::kRotationVector);  // nodal beams have no file
    json["frames"].push_back({{"name", frame.name},
                              {"position", list_of(frame.position)},
                              {"orientation", rows_of(frame.orientation)},
                              {"phi", rows_of(frame.phi)},
                              {"psi", rows_of(frame.psi)},
                              {"second_order", quadratic_of(frame.H)},
                              {"rotation_second_order", quadratic_of(frame.G)}});
  }
  // One key per line: small enough, and a person can find the line.
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += (text.empty() ? "{" : ",\n ") + Json(key).dump() + ": " + value.dump();
  }
  return text + "}\n";
}

void write_body_file(const FlexibleBody& body, const std::filesystem::path& path) {
  std::ofstream out(path, std::ios::binary);
  out << body_text(body);
  out.close();
  if (!out) throw Error("GR-337", path.string(), "cannot be written");
}

}  // namespace grapple::flexible
