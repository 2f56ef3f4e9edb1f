// |x| of a number that may be dual.
#pragma once

namespace grapple::contact {

template <class T>
T magnitude(const T& x) {
  return x < T(0) ? T(-x) : x;
}

}  // namespace grapple::contact
