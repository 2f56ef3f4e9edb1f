// Signals: the way into a running model (docs/theory/signals.md). A signal is a named number with a
// unit that somebody sets between two steps: an operator, a sampled block, the program around a
// Session. It holds its value until it is set again, is kept with the modes, and so is recorded,
// saved and restored like them. What an element or a motion is told is an Input: a function of
// time, or a signal.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "grapple/base/function.h"

namespace grapple::element {

struct Signal {
  std::string name;  ///< also of the channel that shows it
  std::string unit;  ///< SI
  double initial = 0.0;
  double lower = -std::numeric_limits<double>::infinity();  ///< values beyond are refused
  double upper = std::numeric_limits<double>::infinity();
};

/// What inputs are read at: time, and the signals as they are held.
struct Moment {
  double t = 0.0;
  std::span<const double> signals = {};
};

class Input {
 public:
  Input() = default;
  Input(Function function) : function_(std::move(function)) {}  // NOLINT: a function is an input
  /// The signal at this place in SystemParts::signals.
  static Input held(int signal) {
    Input input;
    input.signal_ = signal;
    return input;
  }

  double operator()(const Moment& at) const {
    return is_held() ? at.signals[static_cast<std::size_t>(signal_)] : function_(at.t);
  }
  /// Of a signal the derivatives are zero: it jumps, and holds.
  Jet jet(const Moment& at) const {
    return is_held() ? Jet{(*this)(at), 0.0, 0.0} : function_.jet(at.t);
  }
  bool is_held() const { return signal_ >= 0; }
  int signal() const { return signal_; }
  /// Times at which it has a kink or a jump that is known beforehand.
  std::vector<double> breakpoints(double begin, double end) const {
    return is_held() ? std::vector<double>{} : function_.breakpoints(begin, end);
  }
  /// Times at which a formula of time passes a level (function.h).
  std::vector<double> crossings(double level, double begin, double end) const {
    return is_held() ? std::vector<double>{} : function_.crossings(level, begin, end);
  }

 private:
  Function function_;
  int signal_ = -1;
};

}  // namespace grapple::element
