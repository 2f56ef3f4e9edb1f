// What a joint of each type does between two links: pose, axes, velocity, and the acceleration that
// its rates alone make.
#pragma once

#include <cmath>

#include "grapple/model/state.h"
#include "grapple/spatial/rotation.h"

namespace grapple::dynamics::internal {

using model::LinkMotion;
using spatial::Mat3T;
using spatial::QuatT;
using spatial::SpatialT;
using spatial::Vec3T;

// R <- R Rz(angle): the third column stays.
template <class T>
void turn_about_z(Mat3T<T>& R, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  const Vec3T<T> x = R.col(0), y = R.col(1);
  R.col(0) = c * x + s * y;
  R.col(1) = c * y - s * x;
}

// R <- R Rx(angle).
template <class T>
void turn_about_x(Mat3T<T>& R, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  const Vec3T<T> y = R.col(1), z = R.col(2);
  R.col(1) = c * y + s * z;
  R.col(2) = c * z - s * y;
}

// R <- R Ry(angle).
template <class T>
void turn_about_y(Mat3T<T>& R, const T& angle) {
  using std::cos;
  using std::sin;
  const T c = cos(angle), s = sin(angle);
  const Vec3T<T> x = R.col(0), z = R.col(2);
  R.col(0) = c * x - s * z;
  R.col(2) = s * x + c * z;
}

// One link: `own.R_WL` enters as R_WF and `own.r` as the vector to F; both leave as those of L.
// `relative` is the joint's own velocity and c_ang / c_lin leave without the centripetal part.
template <class T>
struct JointStep {
  const LinkMotion<T>& parent;
  LinkMotion<T>& own;
  const T* q;
  const T* v;
  SpatialT<T>* S;
  Vec3T<T> relative_ang = Vec3T<T>::Zero();
  Vec3T<T> relative_lin = Vec3T<T>::Zero();

  void move(model::JointType type, double pitch) {
    using enum model::JointType;
    switch (type) {
      case kFixed:
        return fixed();
      case kRevolute:
        return revolute();
      case kPrismatic:
        return prismatic();
      case kHelical:
        return helical(pitch);
      case kCylindrical:
        return cylindrical();
      case kUniversal:
        return universal();
      case kSpherical:
        return spherical(q, v, S);
      case kPlanar:
        return planar();
      case kFree:
        return free();
    }
  }

  void fixed() {
    own.c_ang.setZero();
    own.c_lin.setZero();
  }

  void revolute() {
    const Vec3T<T> axis = own.R_WL.col(2);
    turn_about_z(own.R_WL, q[0]);
    S[0].ang = axis;
    S[0].lin.setZero();
    relative_ang = axis * v[0];
    own.c_ang = parent.omega.cross(relative_ang);
    own.c_lin.setZero();
  }

  void prismatic() {
    const Vec3T<T> axis = own.R_WL.col(2);
    own.r += axis * q[0];
    S[0].ang.setZero();
    S[0].lin = axis;
    relative_lin = axis * v[0];
    own.c_ang.setZero();
    own.c_lin = T(2) * parent.omega.cross(relative_lin);
  }

  void screw(const T& slide, const T& slide_rate) {
    const Vec3T<T> axis = own.R_WL.col(2);
    turn_about_z(own.R_WL, q[0]);
    own.r += axis * slide;
    relative_ang = axis * v[0];
    relative_lin = axis * slide_rate;
    own.c_ang = parent.omega.cross(relative_ang);
    own.c_lin = T(2) * parent.omega.cross(relative_lin);
  }

  void helical(double pitch) {
    S[0].ang = own.R_WL.col(2);
    S[0].lin = T(pitch) * S[0].ang;
    screw(T(pitch) * q[0], T(pitch) * v[0]);
  }

  void cylindrical() {
    S[0].ang = S[1].lin = own.R_WL.col(2);
    S[0].lin.setZero();
    S[1].ang.setZero();
    screw(q[1], v[1]);
  }

  void universal() {
    S[0].ang = own.R_WL.col(0);
    turn_about_x(own.R_WL, q[0]);
    S[1].ang = own.R_WL.col(1);
    turn_about_y(own.R_WL, q[1]);
    S[0].lin.setZero();
    S[1].lin.setZero();
    const Vec3T<T> first = S[0].ang * v[0], second = S[1].ang * v[1];
    relative_ang = first + second;
    own.c_ang = parent.omega.cross(relative_ang) + first.cross(second);
    own.c_lin.setZero();
  }

  void planar() {
    for (int k = 0; k < 2; ++k) {
      S[k].ang.setZero();
      S[k].lin = own.R_WL.col(k);
    }
    S[2].ang = own.R_WL.col(2);
    S[2].lin.setZero();
    own.r += S[0].lin * q[0] + S[1].lin * q[1];
    relative_lin = S[0].lin * v[0] + S[1].lin * v[1];
    relative_ang = S[2].ang * v[2];
    turn_about_z(own.R_WL, q[2]);
    own.c_ang = parent.omega.cross(relative_ang);
    own.c_lin = T(2) * parent.omega.cross(relative_lin);
  }

  void spherical(const T* quaternion, const T* omega_L, SpatialT<T>* axes) {
    own.R_WL = own.R_WL * spatial::rotation_matrix<T>(Eigen::Map<const QuatT<T>>(quaternion));
    for (int k = 0; k < 3; ++k) {
      axes[k].ang = own.R_WL.col(k);
      axes[k].lin.setZero();
    }
    relative_ang = own.R_WL * Eigen::Map<const Vec3T<T>>(omega_L);
    own.c_ang = parent.omega.cross(relative_ang);
    own.c_lin.setZero();
  }

  void free() {
    for (int k = 0; k < 3; ++k) {
      S[k].ang.setZero();
      S[k].lin = own.R_WL.col(k);
    }
    own.r += own.R_WL * Eigen::Map<const Vec3T<T>>(q);
    relative_lin = own.R_WL * Eigen::Map<const Vec3T<T>>(v);
    spherical(q + 3, v + 3, S + 3);
    own.c_lin = T(2) * parent.omega.cross(relative_lin);
  }
};

}  // namespace grapple::dynamics::internal
