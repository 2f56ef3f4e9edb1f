#include "grapple/base/error.h"

#include <fmt/format.h>

#include "grapple/base/printable.h"

namespace grapple {

namespace {

std::string joined(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += diagnostic.text();
  }
  return text;
}

}  // namespace

std::string Diagnostic::text() const {
  return where.empty() ? fmt::format("{}: {}", id, printable(message))
                       : fmt::format("{} {}: {}", id, printable(where), printable(message));
}

Error::Error(std::string id, std::string where, std::string message)
    : Error(std::vector<Diagnostic>{{std::move(id), std::move(where), std::move(message)}}) {}

Error::Error(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(joined(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void Diagnostics::add(std::string id, std::string where, std::string message) {
  found_.push_back({std::move(id), std::move(where), std::move(message)});
}

void Diagnostics::add(const Error& error) {
  found_.insert(found_.end(), error.diagnostics().begin(), error.diagnostics().end());
}

void Diagnostics::throw_if_any() const {
  if (!found_.empty()) throw Error(found_);
}

}  // namespace grapple
