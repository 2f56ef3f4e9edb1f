// Faults of the user (or of the outside world) as values: a stable id, where, what was found, what
// is allowed. docs/errors.md lists every id. A programming fault is GRAPPLE_ASSERT (assert.h),
// never an Error.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace grapple {

/// One finding about the user's input. `where` is "file:line:column" or the name of the part; it
/// may be empty.
struct Diagnostic {
  std::string id;       ///< stable, "GR-102"
  std::string where;    ///< "arm.yaml:14:9" or "body 'link1'"
  std::string message;  ///< what was found, what is allowed, the nearest valid name

  /// One line; control characters in what was found are escaped (printable.h).
  /// "GR-102 arm.yaml:14:9: unknown joint type 'revolut' (did you mean 'revolute'?)"
  std::string text() const;
};

/// Thrown for the user's faults; carries every finding of the pass that threw it.
class Error : public std::runtime_error {
 public:
  Error(std::string id, std::string where, std::string message);
  explicit Error(std::vector<Diagnostic> diagnostics);

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// Id of the first finding.
  const std::string& id() const { return diagnostics_.front().id; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Collects findings so that a pass can report all of them at once.
class Diagnostics {
 public:
  void add(std::string id, std::string where, std::string message);
  void add(const Error& error);
  bool empty() const { return found_.empty(); }
  const std::vector<Diagnostic>& found() const { return found_; }
  /// Throws Error with everything found, if anything was.
  void throw_if_any() const;

 private:
  std::vector<Diagnostic> found_;
};

}  // namespace grapple
