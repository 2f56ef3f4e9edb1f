#include "grapple/flexible/internal/body_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "grapple/base/nearest_name.h"

namespace grapple::flexible {

namespace {

using spatial::MatX;
using spatial::Vec3;
using spatial::VecX;

constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};

std::string kind_of(const Json& value) {
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  return value.type_name();
}

bool is_list_of(const Json& value, Eigen::Index size) {
  return value.is_array() && static_cast<Eigen::Index>(value.size()) == size;
}

}  // namespace

JsonObject::JsonObject(const Json& json, std::string file, std::string path, Diagnostics& faults)
    : json_(&json), file_(std::move(file)), path_(std::move(path)), faults_(&faults) {
  if (!json.is_object()) {
    faults.add("GR-338", path_.empty() ? file_ : file_ + ": " + path_,
               "expected an object of keys; found " + kind_of(json));
  }
}

bool JsonObject::has(const char* key) const { return json_->is_object() && json_->contains(key); }

void JsonObject::fault(const char* id, const char* key, std::string message) const {
  fault_at(id, key, std::move(message));
}

void JsonObject::fault_at(const char* id, const std::string& key, std::string message) const {
  faults_->add(id, fmt::format("{}: {}{}", file_, path_.empty() ? "" : path_ + ".", key),
               std::move(message));
}

void JsonObject::allow_only(std::initializer_list<const char*> known) const {
  if (!json_->is_object()) return;
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, value] : json_->items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    fault_at("GR-338", key, "unknown key" + suggestion(key, names));
  }
}

const Json* JsonObject::find(const char* key) const {
  if (has(key)) return &json_->at(key);
  if (json_->is_object()) fault("GR-338", key, "this key is missing");
  return nullptr;
}

double JsonObject::number_of(const Json& value, const std::string& key) const {
  if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
  fault_at("GR-338", key, "expected a finite number; found " + kind_of(value));
  return 0.0;
}

double JsonObject::number(const char* key) const {
  const Json* value = find(key);
  return value ? number_of(*value, key) : 0.0;
}

std::string JsonObject::text(const char* key) const {
  const Json* value = find(key);
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  fault("GR-338", key, "expected text; found " + kind_of(*value));
  return "";
}

MatX JsonObject::matrix_of(const Json& value, const std::string& key, Eigen::Index rows,
                           Eigen::Index cols) const {
  MatX out = MatX::Zero(rows, cols);
  if (!is_list_of(value, rows)) {
    fault_at(
        "GR-338", key,
        fmt::format("expected {} row{}; found {}", rows, rows == 1 ? "" : "s", kind_of(value)));
    return out;
  }
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Json& row = value[static_cast<std::size_t>(i)];
    const std::string row_key = fmt::format("{}[{}]", key, i);
    if (!is_list_of(row, cols)) {
      fault_at(
          "GR-338", row_key,
          fmt::format("expected {} number{}; found {}", cols, cols == 1 ? "" : "s", kind_of(row)));
      return out;
    }
    for (Eigen::Index j = 0; j < cols; ++j) {
      out(i, j) = number_of(row[static_cast<std::size_t>(j)], fmt::format("{}[{}]", row_key, j));
    }
  }
  return out;
}

MatX JsonObject::matrix(const char* key, Eigen::Index rows, Eigen::Index cols) const {
  const Json* value = find(key);
  return value ? matrix_of(*value, key, rows, cols) : MatX::Zero(rows, cols);
}

Vec3 JsonObject::vector3(const char* key) const {
  const Json* value = find(key);
  return value ? Vec3(matrix_of(Json::array({*value}), key, 1, 3).transpose()) : Vec3::Zero();
}

MatX JsonObject::square(const char* key, Eigen::Index size) const {
  const Json* value = find(key);
  if (value == nullptr) return MatX::Zero(size, size);
  if (is_list_of(*value, size) && size > 0 && !value->front().is_array()) {
    const MatX diagonal = matrix_of(Json::array({*value}), key, 1, size);
    return diagonal.row(0).asDiagonal();
  }
  return matrix_of(*value, key, size, size);
}

Quadratic3 JsonObject::quadratic(const char* key, Eigen::Index modes) const {
  Quadratic3 out;
  const Json* value = find(key);
  if (value == nullptr) return out;
  const std::string path = path_.empty() ? key : path_ + "." + key;
  const JsonObject parts(*value, file_, path, *faults_);
  parts.allow_only({"x", "y", "z"});
  for (std::size_t c = 0; c < 3; ++c) {
    if (parts.has(kAxes[c])) out[c] = parts.matrix(kAxes[c], modes, modes);
  }
  return out;
}

std::vector<MatX> JsonObject::matrices(const char* key, Eigen::Index count, Eigen::Index rows,
                                       Eigen::Index cols) const {
  const Json* value = find(key);
  std::vector<MatX> out(static_cast<std::size_t>(count), MatX::Zero(rows, cols));
  if (value == nullptr) return out;
  if (!is_list_of(*value, count)) {
    fault("GR-338", key, fmt::format("expected {} matrices; found {}", count, kind_of(*value)));
    return out;
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = matrix_of((*value)[k], fmt::format("{}[{}]", key, k), rows, cols);
  }
  return out;
}

std::vector<JsonObject> JsonObject::objects(const char* key) const {
  std::vector<JsonObject> out;
  const Json* value = find(key);
  if (value == nullptr) return out;
  if (!value->is_array()) {
    fault("GR-338", key, "expected a list; found " + kind_of(*value));
    return out;
  }
  for (std::size_t i = 0; i < value->size(); ++i) {
    out.emplace_back((*value)[i], file_, fmt::format("{}[{}]", key, i), *faults_);
  }
  return out;
}

std::vector<std::string> JsonObject::texts(const char* key) const {
  std::vector<std::string> out;
  const Json* value = find(key);
  if (value == nullptr) return out;
  const bool good = value->is_array() && std::all_of(value->begin(), value->end(),
                                                     [](const Json& t) { return t.is_string(); });
  if (!good) {
    fault("GR-338", key, "expected a list of texts; found " + kind_of(*value));
    return out;
  }
  return value->get<std::vector<std::string>>();
}

Json list_of(const VecX& vector) {
  Json list = Json::array();
  for (const double v : vector) list.push_back(v);
  return list;
}

Json rows_of(const MatX& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) rows.push_back(list_of(matrix.row(i)));
  return rows;
}

Json quadratic_of(const Quadratic3& quadratic) {
  Json parts = Json::object();
  for (std::size_t c = 0; c < 3; ++c) {
    if (quadratic[c].size() > 0) parts[kAxes[c]] = rows_of(quadratic[c]);
  }
  return parts;
}

}  // namespace grapple::flexible
