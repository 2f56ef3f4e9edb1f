// Which of the shapes A and B of a query the user names first in a contact: force channels show the
// force on that one, whatever order the query wants.
#pragma once

namespace grapple::contact {

enum class FirstNamed { kA, kB };

inline double sign_of(FirstNamed first) { return first == FirstNamed::kA ? 1.0 : -1.0; }

}  // namespace grapple::contact
