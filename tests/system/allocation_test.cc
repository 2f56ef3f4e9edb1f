// After set-up an evaluation allocates nothing. Every malloc of the program is counted.
#include <gtest/gtest.h>

#include <limits>

#include "grapple/base/formula.h"
#include "grapple/contact/contact_element.h"
#include "grapple/contact/patch_contact.h"
#include "grapple/contact/patch_friction.h"
#include "grapple/force/body_elasticity.h"
#include "grapple/force/force_elements.h"
#include "grapple/force/joint_elements.h"
#include "grapple/force/transmission.h"
#include "grapple/geometry/overlap/volume_query.h"
#include "grapple/geometry/touch/touch_sites.h"
#include "support.h"
#include "support/counted_malloc.h"

namespace grapple::system::testing {
namespace {

TEST(Allocation, EvaluateRateProjectDriftKinksAndChannelsAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const JointType type : model::kAllJointTypes) {
    test::RandomTree random(1);
    Model model = tree_with(type, random);
    const int nv = model.link(2).nv;
    const auto some = [&] { return random_values(random, nv, 0.1, 2.0); };
    const std::vector<element::Input> functions(static_cast<std::size_t>(nv),
                                                Function::expression("sin(3*t) + t^2"));
    const Function table = Function::table({0, 1, 2}, {0, 1, 0}, Interpolation::kSpline);
    auto parts = elements(force::make_joint_spring(model, 2, some(), some()),
                          force::make_joint_damper(model, 2, some()),
                          force::make_joint_friction(model, 2, {some(), some(), some()}),
                          force::make_joint_stop(model, 2, {some(), some(), some(), some()}),
                          force::make_joint_motor(model, 2, functions, some()),
                          force::make_bushing("bushing/b", model.frames()[2], model.frames()[4],
                                              {{1, 2, 3, 1, 2, 3}, {}}),
                          force::make_spring_damper("spring/s", model.frames()[1],
                                                    model.frames()[3], {1.0, 2.0, 0.5, table}),
                          force::make_point_force("force/f", model.frames()[2],
                                                  {table, table, table}, force::Axes::kFrame));
    const JointMotion driven{4, MotionLevel::kPosition, {table, table, Function::expression("t")}};
    SystemParts all{std::move(model), {}, {}, std::move(parts), {driven}, {3}};
    const System system(std::move(all));
    VecX x = random_state(system, random), rate(system.size()), kinks(system.kink_count());
    Snapshot<double> s(system);
    double sum = 0.0;
    const auto use_everything = [&](double t) {
      system.evaluate<double>(t, view(x), s);
      system.state_rate<double>(s, view(rate));
      system.project(t, view(x));
      system.drift(1e-3, view(x));
      system.kink_values(s, view(kinks));
      for (const Channel& channel : system.channels()) sum += channel_value(system, channel, s);
    };
    use_everything(0.1);
    const long before = allocations.load();
    for (int step = 0; step < 10; ++step) use_everything(0.1 + 0.01 * step);
    EXPECT_EQ(allocations.load() - before, 0) << joint_type_name(type);
    EXPECT_TRUE(std::isfinite(sum));
    EXPECT_GT(before, 0) << "the counter does not count";
  }
}

TEST(Allocation, LoopsAndReactionsAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  test::RandomTree random(2);
  SystemParts parts;
  parts.model = tree_with(JointType::kCylindrical, random);
  const model::Frame F{"", 3, random.pose()}, M{"", 4, random.pose()}, base{"", 1, random.pose()};
  const auto f = [](const char* text) { return Function::expression(text); };
  using constraint::LoopType;
  const model::Link& two = parts.model.link(2);
  parts.constraints = {
      constraint::Constraint{"line", constraint::LoopClosure{{F, M}, LoopType::kPointOnLine}},
      constraint::Constraint{
          "again", constraint::LoopClosure{{F, M}, LoopType::kPointOnLine}},  // redundant rows
      constraint::Constraint{
          "formula", constraint::FormulaConstraint(
                         {{two.q_index, two.v_index, 0.0}, {two.q_index + 1, two.v_index + 1, 0.0}},
                         Formula("a - 0.3*sin(b)", {"a", "b", "t"}))},
      constraint::Constraint{
          "curve",
          constraint::PointOnCurve{{{"", 0, {}}, base},
                                   constraint::Curve::through({{-3, 0, 0}, {0, 1, 0}, {3, 0, 1}},
                                                              constraint::Curve::Ends::kOpen)}}};
  parts.constraints[0].latching = parts.constraints[1].latching = constraint::Latching::kInPlace;
  for (constraint::Constraint& loop : parts.constraints) loop.active = false;
  constexpr double kFar = std::numeric_limits<double>::infinity();
  parts.constraints[0].capture = parts.constraints[1].capture = {kFar, kFar, kFar, kFar};
  parts.constraints.push_back(
      {"led", constraint::PrescribedMotion{
                  {{"", 0, {}}, M}, {{f("0.1*sin(t)"), f("0.2*t"), f("0.3*t")}}, {}}});
  parts.constraints.back().active = false;
  for (const model::Joint& one : parts.model.joints()) parts.reactions.push_back(one.link);
  System system(std::move(parts));
  VecX x = random_state(system, random), rate(system.size());
  system.latch(0, 0.0, view(x));
  system.latch(1, 0.0, view(x));
  for (const int far : {2, 3, 4}) system.latch(far, 0.0, view(x));  // missed: still evaluated below
  ASSERT_EQ(system.constraint_rank(), 2);
  Snapshot<double> s(system);
  double sum = 0.0;
  const auto use_everything = [&](double t) {
    system.evaluate<double>(t, view(x), s);
    system.state_rate<double>(s, view(rate));
    system.project(t, view(x));
    for (const Channel& channel : system.channels()) sum += channel_value(system, channel, s);
  };
  use_everything(0.1);
  const long before = allocations.load();
  for (int step = 0; step < 10; ++step) use_everything(0.1 + 0.01 * step);
  EXPECT_EQ(allocations.load() - before, 0);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(Allocation, FlexibleJointsWithStatesAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  ModelBuilder builder;
  builder.add_body("arm", lump(1.0, Vec3::UnitX(), Vec3::Ones()));
  JointSpec spec = joint("hub", JointType::kUniversal, "world", "arm");
  spec.reflected_inertia = {0.5, 0.6};
  spec.transmission = JointSpec::Transmission::kFlexible;
  builder.add_joint(spec);
  Model model = builder.build();
  auto parts = elements(force::make_transmission(
      model, 1, {{100.0, 10.0, 1.0, 0.01, {20.0, 1.0, 1.5}}, {100.0, 0.0, 1.0, 0.0, {}}}));
  const System system = system_of(std::move(model), std::move(parts));
  test::RandomTree random(1);
  VecX x = random_state(system, random), rate(system.size()), kinks(system.kink_count());
  Snapshot<double> s(system);
  const auto use = [&] {
    system.evaluate<double>(0.0, view(x), s);
    system.state_rate<double>(s, view(rate));
    system.kink_values(s, view(kinks));
    for (const Channel& channel : system.channels())
      x[0] += 1e-9 * channel_value(system, channel, s);
  };
  use();
  const long before = allocations.load();
  for (int step = 0; step < 10; ++step) use();
  EXPECT_EQ(allocations.load() - before, 0);
}

TEST(Allocation, ContactsWithBristlesAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  ModelBuilder builder;
  builder.add_body("box", lump(1.0, Vec3::Zero(), Vec3::Ones()));
  builder.add_frame("floor", "world", {});
  Model model = builder.build();
  contact::PointContact pair{"contact/c",
                             model.frames()[1],
                             model.frames()[static_cast<std::size_t>(model.find_frame("floor"))],
                             {},
                             contact::make_friction_law(contact::BristleFriction{
                                 0.4, 0.3, 1e3, 20.0, 0.0, 1e-3, 0.1, 0.0})};
  for (const auto& query :
       geometry::touch_sites(geometry::Box{{0.2, 0.2, 0.2}, 0.01}, geometry::HalfSpace{}).queries) {
    pair.sites.push_back(
        {query, contact::make_normal_law({1e5, 1.5, contact::DampingRule::kExact, {}, 1e-3})});
  }
  System system =
      system_of(std::move(model), elements(contact::make_point_contact(std::move(pair))));
  VecX x = system.initial_state(), rate(system.size()), kinks(system.kink_count());
  x[2] = 0.199;
  Snapshot<double> s(system);
  const auto use = [&] {
    system.commit(0.0, view(x));
    system.evaluate<double>(0.0, view(x), s);
    system.state_rate<double>(s, view(rate));
    system.kink_values(s, view(kinks));
    for (const Channel& channel : system.channels())
      x[0] += 1e-9 * channel_value(system, channel, s);
  };
  use();
  const long before = allocations.load();
  for (int step = 0; step < 10; ++step) {
    x[2] = step % 2 == 0 ? 0.3 : 0.199;  // leaves and returns
    use();
  }
  EXPECT_EQ(allocations.load() - before, 0);
}

geometry::Mesh mesh_of(const geometry::Box& box) {
  const geometry::Polyhedron solid = geometry::box_polyhedron(box.half_edges);
  auto mesh = std::make_shared<geometry::TriangleMesh>();
  mesh->corners = solid.corners;
  for (const auto& face : solid.faces) {
    for (std::size_t k = 2; k < face.size(); ++k) {
      mesh->triangles.push_back({face[0], face[k - 1], face[k]});
    }
  }
  return {mesh};
}

// Every kind of query: clipped polyhedra, slices, rings, meshes, closest features; some of them
// apart.
TEST(Allocation, ContactsOfSolidsAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  ModelBuilder builder;
  builder.add_body("box", lump(1.0, Vec3::Zero(), Vec3::Ones()));
  builder.add_frame("floor", "world", {});
  Model model = builder.build();
  const geometry::Box box{{0.2, 0.2, 0.2}, 0.0};
  const auto cell = [](geometry::Shape shape, const Vec3& at) {
    return geometry::Cell{std::move(shape), {Mat3::Identity(), at}};
  };
  using Parts = std::vector<geometry::Cell>;
  Parts convex = {cell(box, {0, 0, -0.2}), cell(geometry::Sphere{0.2}, {0.1, 0, -0.2}),
                  cell(geometry::Ellipsoid{{0.3, 0.2, 0.2}}, {0, 0.1, -0.2}),
                  cell(geometry::Cone{0.2, 0.2}, {0, 0.1, -0.195}),
                  cell(geometry::Cylinder{0.2, 0.2}, {0, 0, -0.9})};
  Parts all = convex;
  all.push_back(cell(geometry::Torus{0.2, 0.1}, {0.1, 0, -0.09}));
  all.push_back(cell(geometry::Bar{0.1}, {0.25, 0, -0.2}));
  all.push_back(cell(mesh_of(box), {0, 0.01, -0.2}));
  const geometry::Shape convex_cells = geometry::Cells{std::make_shared<Parts>(convex)};
  const geometry::Shape cells = geometry::Cells{std::make_shared<Parts>(all)};
  const contact::BristleFriction bristles{0.4, 0.3, 1e3, 20.0, 0.0, 1e-3, 0.1, 0.0};
  const model::Frame at_box = model.frames()[1];
  const model::Frame at_floor = model.frames()[static_cast<std::size_t>(model.find_frame("floor"))];
  contact::PatchContact patch{"contact/p",
                              at_box,
                              at_floor,
                              geometry::overlap_patches(box, cells, geometry::NormalRule::kInertia),
                              {1e7, contact::DampingRule::kExact, {}, 1e-3},
                              contact::make_patch_friction(bristles, {})};
  contact::PointContact point{
      "contact/c", at_box, at_floor, {}, contact::make_friction_law(bristles)};
  for (const auto& query : geometry::touch_sites(box, convex_cells).queries) {
    point.sites.push_back(
        {query, contact::make_normal_law({1e5, 1.5, contact::DampingRule::kExact, {}, 1e-3})});
  }
  contact::PointContact egg{
      "contact/e", at_box, at_floor, {}, contact::make_friction_law(bristles)};
  egg.sites.push_back(point.sites.front());
  egg.sites[0].query =
      geometry::touch_sites(geometry::Ellipsoid{{0.3, 0.25, 0.2}}, geometry::HalfSpace{})
          .queries[0];
  egg.sites[0].rest_stiffness = 0.4;  // follows the point
  std::vector<std::unique_ptr<element::Element>> parts =
      elements(contact::make_patch_contact(std::move(patch)));
  parts.push_back(contact::make_point_contact(std::move(point)));
  parts.push_back(contact::make_point_contact(std::move(egg)));
  System system = system_of(std::move(model), std::move(parts));
  VecX x = system.initial_state(), rate(system.size()), kinks(system.kink_count());
  Snapshot<double> s(system);
  const auto use = [&](double height) {
    x[2] = height;
    system.commit(0.0, view(x));
    system.evaluate<double>(0.0, view(x), s);
    system.state_rate<double>(s, view(rate));
    system.kink_values(s, view(kinks));
    for (const Channel& channel : system.channels())
      x[0] += 1e-9 * channel_value(system, channel, s);
  };
  use(0.199);
  const long before = allocations.load();
  for (int step = 0; step < 10; ++step) use(step % 2 == 0 ? 0.3 : 0.199);
  EXPECT_EQ(allocations.load() - before, 0);
}

TEST(Allocation, FlexibleBodiesAllocateNothingByAnyMethodOfForwardDynamics) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  using dynamics::Method;
  for (const Method method : dynamics::kAllMethods) {
    test::RandomTree random(5);
    SystemParts parts;
    parts.model = random.mixed_model(12);
    parts.method = method;
    for (int i = 1; i < parts.model.link_count(); ++i) {
      if (parts.model.link(i).kind != model::Link::Kind::kFlexible) continue;
      parts.elements.push_back(force::make_body_elasticity(parts.model, i));
    }
    ASSERT_GT(parts.elements.size(), 3u);
    parts.locked = {2};
    const System system(std::move(parts));
    const VecX x = random_state(system, random);
    VecX rate(system.size());
    Snapshot<double> s(system);
    double sum = 0.0;
    const auto use = [&](double t) {
      system.evaluate<double>(t, view(x), s);
      system.state_rate<double>(s, view(rate));
      for (const Channel& channel : system.channels()) sum += channel_value(system, channel, s);
    };
    use(0.0);
    const long before = allocations.load();
    for (int step = 0; step < 5; ++step) use(0.01 * step);
    EXPECT_EQ(allocations.load() - before, 0) << dynamics::method_name(method);
    EXPECT_TRUE(std::isfinite(sum));
  }
}

TEST(Allocation, ClosedLoopsAllocateNothing) {
  if (GRAPPLE_SANITIZED) GTEST_SKIP() << "the sanitizer owns malloc";
  test::RandomTree random(4);
  SystemParts parts;
  parts.model = tree_with(JointType::kSpherical, random);
  const auto tip = static_cast<std::size_t>(parts.model.find_frame("tip"));
  const auto wall = static_cast<std::size_t>(parts.model.find_frame("wall"));
  parts.constraints.push_back(
      {"string",
       constraint::Distance{{parts.model.frames()[wall], parts.model.frames()[tip]}, 1.0}});
  const System system(std::move(parts));
  VecX x = system.initial_state(), rate(system.size());
  Snapshot<double> s(system);
  const auto use = [&] {
    system.evaluate<double>(0.0, view(x), s);
    system.state_rate<double>(s, view(rate));
    x += 1e-3 * rate;
    system.project(0.0, view(x));
    EXPECT_LT(std::abs(value(system, s, "loop/string/error")), 1e-3);
  };
  use();
  const long before = allocations.load();
  for (int step = 0; step < 5; ++step) {
    system.evaluate<double>(0.0, view(x), s);
    system.project(0.0, view(x));
  }
  EXPECT_EQ(allocations.load() - before, 0);
}

}  // namespace
}  // namespace grapple::system::testing
