// Shared by the texts of experiments: parts of their JSON, and tables.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/counters.hpp"
#include "lab/rung.hpp"
#include "onefold/machine/sim/report.hpp"

namespace onefold::sim {
struct Chip;
}

namespace onefold::lab {

struct KernelResult;

// Returns a path within the repository, without the folders above it.
std::string_view short_path(std::string_view file);
// Writes JSON whose strings may be no UTF-8; indented with an end of line, or in one line by -1.
std::string text_of(const nlohmann::ordered_json& j, int indent = 2);
nlohmann::ordered_json published_json(std::span<const Published> published);
nlohmann::ordered_json counters_json(const sim::Report& report);
nlohmann::ordered_json flaws_json(const sim::Report& report);
nlohmann::ordered_json profile_json(const Compared& c);
// Returns counters in the form that pages need.
nlohmann::ordered_json page_counters(const sim::Counters& c);
nlohmann::ordered_json page_chips();

// Returns a report's kinds of flaws, or "none".
std::string flaws_text(const sim::Report& report);

// Returns a text as HTML and XML write it; control characters, which XML forbids, become "?".
std::string escaped_markup(std::string_view text);

// Returns "word        sentence" in lines of 100 columns.
std::string said(const char* word, std::string_view sentence);

// Formats lines of a table. The first column (names) and the last `sentences` columns are aligned
// left, numbers right. A table wider than `columns` continues below, and repeats the first column
// in each part; 0: any width.
using Line = std::vector<std::string>;
std::string aligned(const std::vector<Line>& lines, std::size_t sentences = 2,
                    std::size_t columns = 0);

// A row for each launch, after a row of names. `uncached_us`: the time that its bytes would take if
// no cache had them, or its flops, at the chip's peaks; `bound`: the longer one.
std::vector<Line> launch_lines(const KernelResult& r);

}  // namespace onefold::lab
