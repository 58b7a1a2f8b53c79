// onefold OP[,OP...] FILE... --mpi: each rank of an mpirun gathers a share.
#include "onefold/system/jit/mpi.hpp"

#include <algorithm>
#include <thread>

#include "cli/alias.hpp"
#include "cli/option.hpp"
#include "cli/request.hpp"
#include "cli/writer.hpp"
#include "onefold/engine/request/peers.hpp"
#include "onefold/system/file.hpp"

namespace onefold::cli {
namespace {

using Kind = system::FileFacts::Kind;

// Flags that a rank sends about its files before it opens any. A pipe can be read by only one rank,
// and only once.
enum InputFlag : uint64_t { a_stream = 1, my_stdin_is_a_pipe = 2 };

uint64_t seen_in(const std::vector<std::string>& files) {
  const system::FileFacts in = system::facts_of(system::standard_input);
  uint64_t seen = 0;
  for (const std::string& file : files) {
    const system::FileFacts f = file == "-" ? in : system::facts_of(file);
    // /dev/stdin is the standard input, too.
    const bool is_stdin = f.kind != Kind::none && f.device == in.device && f.id == in.id;
    if (is_stdin && in.kind == Kind::pipe) seen |= my_stdin_is_a_pipe;
    if (file == "-" || is_stream(file)) seen |= a_stream;
  }
  return seen;
}

// Returns the rank that folds all files if one of them is a stream.
//   seen    the flags of each rank
//   throws  bad_option, on all ranks alike: the standard input of several ranks is a pipe
std::optional<std::size_t> only_reader(const std::vector<uint64_t>& seen) {
  std::optional<std::size_t> streams, piped;
  for (std::size_t r = 0; r < seen.size(); ++r) {
    if ((seen[r] & a_stream) != 0 && !streams) streams = r;
    if ((seen[r] & my_stdin_is_a_pipe) == 0) continue;
    if (piped) {
      throw Error(ErrorCode::bad_option,
                  "--mpi: standard input is piped to ranks " + std::to_string(*piped) + " and " +
                      std::to_string(r) +
                      ", but only one rank may read it; leave out mpirun's --stdin all (with srun, "
                      "pass --input 0), or name a file");
    }
    piped = r;
  }
  return piped ? piped : streams;
}

std::vector<std::string> files_of_ranks(const Arguments& arguments, std::size_t first) {
  const std::string& list = arguments.files_from;
  const Kind kind = list.empty() ? Kind::none : system::facts_of(list).kind;
  const bool stream = list == "-" || (kind != Kind::none && kind != Kind::regular);
  if (stream) {
    throw Error(ErrorCode::bad_option, "--files-from " + list +
                                           ": with --mpi each rank reads the list, but a pipe can "
                                           "be read only once; write the names to a file");
  }
  return input_files(arguments, first);
}

// Refuses options that several ranks cannot use.
void check_options(const Arguments& a) {
  const bool device = a.fold.device.type == Device::Type::cuda;
  const char* const other = a.each         ? "--each"
                            : a.keep_going ? "--keep-going"
                            : device       ? "--device"
                                           : nullptr;
  if (other == nullptr) return;
  throw Error(
      ErrorCode::bad_option,
      std::string(other) + " cannot be used with --mpi; leave it out, or see onefold mpi --help");
}

// Runs the verb on this rank, together with the others, or alone if there is a stream.
void run_with(const Verb& verb, Arguments& arguments, Peers& peers) {
  std::vector<std::string> files;
  const std::size_t ops = verb.name == std::string("fold") ? 1 : 0;
  check_options(arguments);
  if (arguments.words.size() < ops) {
    throw Error(ErrorCode::bad_option, "fold needs an op: mpirun onefold sum FILE --mpi");
  }
  files = files_of_ranks(arguments, ops);
  const std::optional<std::size_t> reader = only_reader(peers.gather(seen_in(files)));
  if (reader) {
    if (*reader == peers.rank()) verb.run(arguments);
    return;
  }
  arguments.input.peers = &peers;
  if (!peers.first()) arguments.progress = When::never;
  // All ranks must divide the work in the same way, so they use the same number of threads.
  if (arguments.fold.threads == 0) {
    const auto cores = peers.gather(std::max(1u, std::thread::hardware_concurrency()));
    arguments.fold.threads = static_cast<int>(*std::min_element(cores.begin(), cores.end()));
  }
  verb.run(arguments);
}

// Runs the verb; if a rank throws an error, all ranks get it.
std::optional<Error> error_of(const Verb& verb, Arguments& arguments, Peers& peers) {
  std::optional<Error> mine;
  try {
    run_with(verb, arguments, peers);
    peers.end();
    return {};
  } catch (const ClosedPipe& e) {
    mine.emplace(e.code(), "");  // no message is printed
  } catch (const Error& e) {
    mine = e;
  } catch (const std::bad_alloc&) {
    mine.emplace(ErrorCode::out_of_memory, "memory ran out");
  }
  if (peers.told()) return mine;
  try {
    peers.fail(*mine);
  } catch (const Error& all) {
    return all;
  }
}

void run_in(const jit::MpiWorld& world, const Verb& verb, Arguments& arguments) {
  Peers peers(world.rank(), world.ranks(),
              [&](std::span<const uint64_t> mine, std::span<uint64_t> all, bool to_all) {
                return world.gather(mine, all, to_all);
              });
  const std::optional<Error> error = error_of(verb, arguments, peers);
  if (!error) return;
  // mpirun kills all ranks once one exits with an error, so all wait until one has printed it.
  if (world.rank() == 0 && *error->what() != 0) print_error(error->what());
  const uint64_t said = 0;
  std::vector<uint64_t> all(world.ranks());
  (void)world.gather({&said, 1}, all, true);
  arguments.silent_status = exit_status(error->code());
}

void run_mpi(Arguments& arguments) { run_on_ranks(*find_verb("fold"), arguments); }

constexpr const Option* mpi_options[] = {
    &option::mpi,         &option::axis,       &option::keepdims, &option::nan,
    &option::ddof,        &option::where,      &option::let,      &option::correction,
    &option::initial,     &option::empty_nan,  &option::weights,  &option::fweights,
    &option::offsets,     &option::result,     &option::dtype,    &option::shape,
    &option::offset,      &option::format,     &option::header,   &option::columns,
    &option::by,          &option::delimiter,  &option::missing,  &option::bad_lines,
    &option::decimal,     &option::thousands,  &option::numbers,  &option::non_numbers,
    &option::date_format, &option::skip,       &option::comment,  &option::units,
    &option::unite,       &option::files_from, &option::null,     &option::memory,
    &option::json,        &option::precision,  &option::output,   &option::progress,
    &option::threads,     &option::target,     &option::help,     &option::version};

}  // namespace

void run_on_ranks(const Verb& verb, Arguments& arguments) {
  const jit::MpiWorld world;
  if (!world.why().empty()) throw Error(ErrorCode::no_backend, "--mpi: " + world.why());
  arguments.mpi = true;
  try {
    run_in(world, verb, arguments);
  } catch (const std::bad_alloc&) {
    // There is no memory to tell other ranks, which would wait for this one.
    print_error("a rank ran out of memory");
    world.abort(exit_status(ErrorCode::out_of_memory));
  }
}

const Verb mpi_verb{.name = "mpi",
                    .usage = "mpi OP[,OP...] FILE...",
                    .idea = "Compute on all ranks of an mpirun; the same as OP FILE --mpi.",
                    .options = mpi_options,
                    .examples =
                        "mpirun -n 8 onefold mean,var --mpi huge.npy\n"
                        "mpirun -n 8 onefold max --axis 0 --output max.npy --mpi year*.npy\n"
                        "mpirun -n 8 onefold describe --mpi day*.csv\n"
                        "srun onefold sum --mpi --json day*.npy",
                    .run = run_mpi};

}  // namespace onefold::cli
