#include "grapple/constraint/constraint.h"

#include <algorithm>

#include "grapple/spatial/dual.h"

namespace grapple::constraint {

using spatial::Mat3;
using spatial::Vec3;

const FramePair* frames_of(const Constraint& constraint) {
  return std::visit(
      []<class Kind>(const Kind& kind) -> const FramePair* {
        if constexpr (BetweenFrames<Kind>) {
          return &kind.frames;
        } else {
          return nullptr;
        }
      },
      constraint.kind);
}

Links links_of(const Constraint& constraint) {
  const FramePair* frames = frames_of(constraint);
  return frames != nullptr ? Links{frames->F.link, frames->M.link} : Links{};
}

std::span<const Term> terms_of(const Constraint& constraint) {
  return std::visit(
      []<class Kind>(const Kind& kind) -> std::span<const Term> {
        if constexpr (BetweenFrames<Kind>) {
          return {};
        } else {
          return kind.terms;
        }
      },
      constraint.kind);
}

std::span<const Row> rows_of(const Constraint& constraint) {
  return std::visit([](const auto& kind) { return kind.rows(); }, constraint.kind);
}

std::string row_name(const Constraint& constraint, std::size_t row) {
  return std::visit([row](const auto& kind) { return kind.row_name(row); }, constraint.kind);
}

int row_count(std::span<const Constraint> constraints) {
  std::size_t sum = 0;
  for (const Constraint& one : constraints) sum += rows_of(one).size();
  return static_cast<int>(sum);
}

template <class T>
void evaluate(const TreeMotion<T>& tree, const Constraint& constraint, ConstraintMotion<T>& out) {
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (BetweenFrames<Kind>) {
          const FramePairMotion<T> at(kind.frames, tree);
          out.p_M = at.M.at.p_WF;
          kind.evaluate(at, out.rows);
        } else {
          kind.evaluate(tree, out.rows);
        }
      },
      constraint.kind);
}

std::string first_undefined(const TreeMotion<double>& tree,
                            std::span<const Constraint> constraints) {
  for (const Constraint& one : constraints) {
    if (!one.active) continue;
    const auto reason = [&](const auto& kind) -> std::string {
      if constexpr (requires { kind.undefined(tree, one.name); }) {
        return kind.undefined(tree, one.name);
      } else {
        return "";
      }
    };
    if (std::string why = std::visit(reason, one.kind); !why.empty()) return why;
  }
  return "";
}

std::vector<Function> functions_of(const Constraint& constraint) {
  return std::visit(
      [](const auto& kind) -> std::vector<Function> {
        if constexpr (requires { kind.functions(); }) {
          return kind.functions();
        } else {
          return {};
        }
      },
      constraint.kind);
}

bool can_close_in_place(const Constraint& constraint) {
  return std::visit([]<class Kind>(const Kind&) { return ClosesInPlace<Kind>; }, constraint.kind);
}

void close_in_place(const TreeMotion<double>& tree, Constraint& constraint) {
  std::visit(
      [&]<class Kind>(Kind& kind) {
        if constexpr (ClosesInPlace<Kind>) kind.close_in_place(tree);
      },
      constraint.kind);
}

std::array<double, kClosureSize> closure_of(const Constraint& constraint) {
  const LatchedValues values = std::visit(
      []<class Kind>(const Kind& kind) {
        if constexpr (ClosesInPlace<Kind>) {
          return kind.latched();
        } else {
          return LatchedValues{};
        }
      },
      constraint.kind);
  std::array<double, kClosureSize> numbers{};
  std::copy_n(values.p_F.data(), 3, numbers.begin());
  std::copy_n(values.R_M.data(), 9, numbers.begin() + 3);
  numbers[12] = values.length;
  numbers[13] = values.offset;
  return numbers;
}

void set_closure(std::span<const double, kClosureSize> closure, Constraint& constraint) {
  LatchedValues values;
  values.p_F = Eigen::Map<const Vec3>(closure.data());
  values.R_M = Eigen::Map<const Mat3>(closure.data() + 3);
  values.length = closure[12];
  values.offset = closure[13];
  std::visit(
      [&]<class Kind>(Kind& kind) {
        if constexpr (ClosesInPlace<Kind>) kind.set_latched(values);
      },
      constraint.kind);
}

template void evaluate(const TreeMotion<double>&, const Constraint&, ConstraintMotion<double>&);
template void evaluate(const TreeMotion<spatial::Dual>&, const Constraint&,
                       ConstraintMotion<spatial::Dual>&);

}  // namespace grapple::constraint
