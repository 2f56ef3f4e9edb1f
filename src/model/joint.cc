#include "grapple/model/joint.h"

#include "grapple/base/assert.h"

namespace grapple::model {

namespace {

struct Traits {
  std::string_view name;
  int nq, nv, quaternion;
  std::array<bool, 6> rotational;
  std::vector<std::string> position_suffixes, rate_suffixes;
};

const Traits& traits(JointType type) {
  static const std::array<Traits, 9> table = {
      Traits{"fixed", 0, 0, -1, {}, {}, {}},
      Traits{"revolute", 1, 1, -1, {true}, {""}, {""}},
      Traits{"prismatic", 1, 1, -1, {false}, {""}, {""}},
      Traits{"helical", 1, 1, -1, {true}, {""}, {""}},
      Traits{"cylindrical", 2, 2, -1, {true, false}, {"_angle", "_slide"}, {"_angle", "_slide"}},
      Traits{"universal", 2, 2, -1, {true, true}, {"_1", "_2"}, {"_1", "_2"}},
      Traits{"spherical",
             4,
             3,
             0,
             {true, true, true},
             {"_qw", "_qx", "_qy", "_qz"},
             {"_wx", "_wy", "_wz"}},
      Traits{
          "planar", 3, 3, -1, {false, false, true}, {"_x", "_y", "_angle"}, {"_x", "_y", "_angle"}},
      Traits{"free",
             7,
             6,
             3,
             {false, false, false, true, true, true},
             {"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"},
             {"_x", "_y", "_z", "_wx", "_wy", "_wz"}}};
  return table[static_cast<std::size_t>(type)];
}

}  // namespace

int position_count(JointType type) { return traits(type).nq; }
int rate_count(JointType type) { return traits(type).nv; }
int quaternion_offset(JointType type) { return traits(type).quaternion; }
int vector_count(JointType type) {
  const Traits& t = traits(type);
  return t.quaternion < 0 ? t.nv : t.quaternion;
}
bool is_rotational(JointType type, int k) {
  GRAPPLE_ASSERT(k >= 0 && k < rate_count(type));
  return traits(type).rotational[static_cast<std::size_t>(k)];
}
std::string_view joint_type_name(JointType type) { return traits(type).name; }
std::vector<std::string> position_suffixes(JointType type) {
  return traits(type).position_suffixes;
}
std::vector<std::string> rate_suffixes(JointType type) { return traits(type).rate_suffixes; }

}  // namespace grapple::model
