// The page of `lab reduce`: one file that shows a run, needs no network and works without a server.
#pragma once

#include <string>
#include <string_view>

#include "lab/experiment/reduce.hpp"

namespace onefold::lab {

// All that the page shows, as JSON: the facts, texts, counters and recordings of the run's rungs.
//   results  the JSON of an earlier `lab reduce` on a GPU, for its times; empty: those that the
//            program carries. Of a run on a GPU, its own times are shown.
//   throws   bad_option if `results` is not such a JSON
std::string page_data(const ReduceResult& run, const std::string& results);

// Throws bad_option as page_data does.
void check_results(const std::string& results);

// The page that shows `data`. The same data, the same bytes.
std::string page_html(const std::string& data);

// The same as a document in Markdown, without what moves.
//   throws   bad_option if `data` has no times
std::string page_document(const std::string& data);

// A file of lab/page/, as the program carries it.
std::string_view page_part(std::string_view name);

}  // namespace onefold::lab
