// The laws of a contact or a contact group, from its own keys and from the materials.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "grapple/contact/friction_law.h"
#include "grapple/contact/normal_law.h"
#include "grapple/contact/pair_material.h"
#include "grapple/contact/rolling.h"
#include "grapple/scenario/build/internal/contact_shapes.h"

namespace grapple::scenario {

/// Two shapes that may touch, and what their materials make of the pair.
struct ShapePair {
  const BuiltShape &first, &second;
  contact::PairMaterial material;
};

class ContactLaws {
 public:
  /// `kind`: "contact" or "contact group"; `shapes_key`: the key that lists its shapes.
  ContactLaws(const Reader& reader, const ContactShapes& shapes, Assembly& assembly,
              std::string_view kind, std::string_view shapes_key)
      : reader_(reader),
        shapes_(shapes),
        assembly_(assembly),
        kind_(kind),
        shapes_key_(shapes_key) {}

  ShapePair pair(const BuiltShape& first, const BuiltShape& second) const;

  /// The normal law but for its stiffness. GR-403.
  contact::PowerLaw normal(const ShapePair& pair);
  /// k of the normal law, given or Hertz's; 0 after a fault, GR-404.
  double stiffness(const ShapePair& pair, const geometry::GapCurvature& gap);
  /// k_v of a volumetric contact, N/m^3; 0 after a fault, GR-404.
  double foundation(const ShapePair& pair);

  /// Whether a site's stiffness is to follow the point of contact. GR-404 if that is asked for and
  /// not known.
  bool follows(const geometry::TouchQuery& site);

  /// Time constant of its relaxation, s; 0: none.
  double relaxation() const {
    return reader_.has("relaxation") ? reader_.number("relaxation") : 0.0;
  }

  /// Of a patch.
  contact::RollingResistance rolling() const;

  enum class Rung { kPoint, kPatch };
  struct Friction {
    std::shared_ptr<const contact::FrictionLaw> law;  ///< null after a fault, GR-403
    double damping = 0.0;  ///< s/m: damping force over normal force and speed, sticking
  };
  Friction friction(const ShapePair& pair, Rung rung);

  void fault(const char* id, std::string_view key, const std::string& message);
  /// A value chosen because the file leaves it out.
  void note(const std::string& text);

 private:
  double given_stiffness(double exponent);
  /// "; 'floor' has no material; material 'glass' of 'ball/skin' has no 'young'".
  template <class Value>
  std::string lacking(const ShapePair& pair, const char* key,
                      std::optional<Value> model::Material::*property) const;
  contact::SpinFriction spin();

  const Reader& reader_;
  const ContactShapes& shapes_;
  Assembly& assembly_;
  std::string_view kind_, shapes_key_;
};

}  // namespace grapple::scenario
