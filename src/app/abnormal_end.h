// Ends that no exception handler sees: std::terminate, abort() and memory faults, of the program or
// of a library it uses. Each becomes a documented exit code, without a half-written file.
#pragma once

namespace grapple::app {

/// Call it first thing in main.
void watch_abnormal_ends();

/// GR-690 on standard error, without needing memory.
void say_out_of_memory() noexcept;

}  // namespace grapple::app
