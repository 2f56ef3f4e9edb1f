// A small run to record: two channels that are functions of the row, an event now and then.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "grapple/record/results_file.h"

namespace grapple::record {

inline RunInfo sample_info() {
  return {.program = "grapple",
          .version = "0.1.0",
          .scenario_name = "swing",
          .scenario = "grapple: 1\nname: swing\n",
          .seed = 18446744073709551615u,
          .scene = "{\"format\":1}",
          .inputs = "scenario 00f00ba700000001 swing.yaml\ndata 00f00ba700000002 a b.obj\n"};
}

inline std::vector<ChannelInfo> sample_channels() {
  return {{"joint/shoulder/position", "rad", "angle of the joint"},
          {"body/tip/x", "m", ""},
          {"joint/shoulder/rate", "rad/s", "rate of the joint"}};
}

inline double sample_time(std::uint64_t row) { return 0.1 * static_cast<double>(row); }

inline double sample_value(std::uint64_t row, std::size_t channel) {
  return std::sin(0.37 * static_cast<double>(row) + static_cast<double>(channel));
}

/// Appends rows [writer.row_count(), end), with an event after every seventh row.
inline void append_sample_rows(ResultsWriter& writer, std::uint64_t end) {
  for (std::uint64_t row = writer.row_count(); row < end; ++row) {
    const double values[] = {sample_value(row, 0), sample_value(row, 1), sample_value(row, 2)};
    writer.append_row(sample_time(row), values);
    if (row % 7 == 3) writer.append_event(sample_time(row), "contact begins", 1);
  }
}

inline std::uint64_t sample_events_within(std::uint64_t rows) { return (rows + 3) / 7; }

}  // namespace grapple::record
