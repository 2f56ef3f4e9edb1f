#include "grapple/record/run.h"

#include "grapple/record/recording.h"
#include "grapple/run/session.h"

namespace grapple::record {

RunSummary run(system::System& system, const RunPlan& plan, const RunOptions& options) {
  run::Session session(system, plan);
  Recording recording(session, plan, options);
  try {
    recording.start();
    session.advance_to(plan.duration);
  } catch (const std::exception& fault) {
    recording.fail(fault);
    throw;
  }
  return recording.finish();
}

}  // namespace grapple::record
