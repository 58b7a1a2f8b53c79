// onefold OP[,OP...] FILE... --mpi: the ranks of an mpirun gather a share each.
#include "jit/mpi.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "api/merge_ranks.hpp"
#include "cli/alias.hpp"
#include "cli/option.hpp"
#include "cli/request.hpp"
#include "cli/state_file.hpp"
#include "cli/writer.hpp"
#include "file_fold/fold_files.hpp"

namespace onefold::cli {
namespace {

// What a rank says of its files before it opens any. A pipe can be read once, by one rank.
enum Seen : uint64_t { a_stream = 1, my_stdin_is_a_pipe = 2 };

bool is_pipe(const struct stat& s) { return S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode); }

uint64_t seen_in(const std::vector<std::string>& files) {
  struct stat in {};
  const bool piped = ::fstat(STDIN_FILENO, &in) == 0 && is_pipe(in);
  uint64_t seen = 0;
  for (const std::string& file : files) {
    struct stat s {};
    const bool there = file != "-" && ::stat(file.c_str(), &s) == 0;
    // /dev/stdin is standard input, too.
    const bool is_stdin = file == "-" || (there && s.st_dev == in.st_dev && s.st_ino == in.st_ino);
    if (is_stdin && piped) seen |= my_stdin_is_a_pipe;
    if (file == "-" || is_stream(file)) seen |= a_stream;
  }
  return seen;
}

// The rank that folds all of the files, where one of them is a stream.
//   seen    of each rank
//   throws  bad_option, on all ranks alike: the standard input of several ranks is a pipe
std::optional<std::size_t> only_reader(const std::vector<uint64_t>& seen) {
  if (seen.empty()) throw Error(ErrorCode::peer_failed, "the ranks cannot be reached");
  std::optional<std::size_t> streams, piped;
  for (std::size_t r = 0; r < seen.size(); ++r) {
    if ((seen[r] & a_stream) != 0 && !streams) streams = r;
    if ((seen[r] & my_stdin_is_a_pipe) == 0) continue;
    if (piped) {
      throw Error(ErrorCode::bad_option,
                  "--mpi: standard input is piped to ranks " + std::to_string(*piped) + " and " +
                      std::to_string(r) +
                      ", and one rank folds it; leave --stdin all out (with srun: --input 0), or "
                      "name a file");
    }
    piped = r;
  }
  return piped ? piped : streams;
}

std::vector<std::string> files_of_ranks(const Arguments& arguments) {
  const std::string& list = arguments.files_from;
  struct stat s {};
  const bool stream =
      list == "-" || (!list.empty() && ::stat(list.c_str(), &s) == 0 && !S_ISREG(s.st_mode));
  if (stream) {
    throw Error(ErrorCode::bad_option, "--files-from " + list +
                                           ": with --mpi each rank reads the list, and a pipe can "
                                           "be read once; write the names into a file");
  }
  return input_files(arguments, 1);
}

// The state of all ranks. A rank that cannot gather still takes part, or the others would wait for
// ever; what one of them throws, all do.
//   notes  gets what there is to say of this rank's files
State merge_world(Arguments& arguments, std::optional<Request>& request, const jit::MpiWorld& world,
                  io::Notes& notes) {
  std::optional<Error> error;
  std::vector<std::string> files;
  State mine;
  const auto attempt = [&](const auto& f) {
    try {
      if (!error) f();
    } catch (const Error& e) {
      error = e;
    } catch (const std::bad_alloc&) {
      error = Error(ErrorCode::out_of_memory, "memory ran out");
    }
  };
  attempt([&] {
    if (arguments.words.empty()) {
      throw Error(ErrorCode::bad_option, "fold needs an op: mpirun onefold sum FILE --mpi");
    }
    request.emplace(own_names(arguments.words[0]), arguments.fold);
    files = files_of_ranks(arguments);
  });
  const std::optional<std::size_t> reader = only_reader(world.gather({seen_in(files)}));
  attempt([&] {
    if (!reader) arguments.input.share = io::Share{world.rank(), world.ranks()};
    if (reader.value_or(world.rank()) != world.rank()) return;
    mine = io::gather_files(*request, files, arguments.input, {}, {}, &notes);
  });
  return merge_ranks(mine, error ? &*error : nullptr, world.ranks(),
                     [&](const std::vector<uint64_t>& words) { return world.gather(words); });
}

void fold_on_ranks(Arguments& arguments, const jit::MpiWorld& world) {
  std::optional<Request> request;
  State all;
  io::Notes notes;
  Size missing = 0;
  try {
    all = merge_world(arguments, request, world, notes);
    const uint64_t mine = std::accumulate(notes.missing.begin(), notes.missing.end(), uint64_t{0});
    for (const uint64_t of_rank : world.gather({mine})) missing += of_rank;
  } catch (const Error& e) {
    // mpirun kills all ranks once one exits with a status, so all wait until one has said why.
    if (world.rank() == 0) print_error(e.what());
    (void)world.gather({0});
    arguments.silent_status = exit_status(e.code());
    return;
  }
  if (world.rank() != 0) return;
  Options answering = arguments.fold;
  answering.threads = 0;  // how to gather, which is done
  answering.target = {};
  say_missing(missing, "", *request, arguments.input.missing_is_nan);
  // What looks like a terminal belongs to mpirun, which hands it on.
  print_answers_of(all, request->ops, answering,
                   {.json = arguments.json, .precision = arguments.precision});
}

void run(Arguments& arguments) {
  const jit::MpiWorld world;
  if (!world.why().empty()) throw Error(ErrorCode::no_backend, "--mpi: " + world.why());
  try {
    fold_on_ranks(arguments, world);
  } catch (const std::bad_alloc&) {
    // The others do not know, and wait. mpirun ends them where a rank ends without MPI_Finalize.
    print_error("memory ran out");
    std::_Exit(exit_status(ErrorCode::out_of_memory));
  }
}

constexpr const Option* options[] = {
    &option::mpi,       &option::nan,        &option::ddof,    &option::correction,
    &option::initial,   &option::empty_nan,  &option::result,  &option::dtype,
    &option::shape,     &option::offset,     &option::format,  &option::header,
    &option::columns,   &option::delimiter,  &option::missing, &option::decimal,
    &option::thousands, &option::files_from, &option::null,    &option::json,
    &option::precision, &option::threads,    &option::target,  &option::help,
    &option::version};

}  // namespace

const Verb mpi_verb{.name = "mpi",
                    .usage = "mpi OP[,OP...] FILE...",
                    .idea = "The same as OP FILE --mpi: the ranks of an mpirun fold a share each.",
                    .options = options,
                    .examples =
                        "mpirun -n 8 onefold mean,var --mpi huge.npy\n"
                        "srun onefold sum --mpi --json day*.npy",
                    .run = run};

}  // namespace onefold::cli
