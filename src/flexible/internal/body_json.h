// Numbers and small matrices in a JSON object, checked for presence, kind and size; every fault is
// collected under the path of its key ("frames[1].phi").
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/flexible/flexible_body.h"

namespace grapple::flexible {

using Json = nlohmann::ordered_json;

class JsonObject {
 public:
  JsonObject(const Json& json, std::string file, std::string path, Diagnostics& faults);

  bool has(const char* key) const;
  /// GR-338 for each key that is not among `known`.
  void allow_only(std::initializer_list<const char*> known) const;
  /// The value, or null after GR-338 if it is missing.
  const Json* find(const char* key) const;

  /// Each returns zeros (or an empty value) after recording a fault.
  double number(const char* key) const;
  std::string text(const char* key) const;
  spatial::MatX matrix(const char* key, Eigen::Index rows, Eigen::Index cols) const;
  spatial::Vec3 vector3(const char* key) const;
  /// A full m x m matrix, or a list of m numbers as its diagonal.
  spatial::MatX square(const char* key, Eigen::Index size) const;
  /// {"x": m x m, "y": ..., "z": ...}; absent components are zero.
  Quadratic3 quadratic(const char* key, Eigen::Index modes) const;
  std::vector<spatial::MatX> matrices(const char* key, Eigen::Index count, Eigen::Index rows,
                                      Eigen::Index cols) const;
  std::vector<JsonObject> objects(const char* key) const;
  std::vector<std::string> texts(const char* key) const;

  /// Records a fault of this id at the key.
  void fault(const char* id, const char* key, std::string message) const;

 private:
  spatial::MatX matrix_of(const Json& value, const std::string& key, Eigen::Index rows,
                          Eigen::Index cols) const;
  double number_of(const Json& value, const std::string& key) const;
  void fault_at(const char* id, const std::string& key, std::string message) const;

  const Json* json_;
  std::string file_;
  std::string path_;
  Diagnostics* faults_;
};

Json rows_of(const spatial::MatX& matrix);
Json list_of(const spatial::VecX& vector);
Json quadratic_of(const Quadratic3& quadratic);

}  // namespace grapple::flexible
